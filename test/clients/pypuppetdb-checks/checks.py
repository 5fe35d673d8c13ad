"""One line a check: `ok NAME` or `FAILED NAME: why`. A check's name is its docstring."""


def same(what, actual, expected):
    """Fails where two values are not equal."""
    if actual != expected:
        raise AssertionError(f"{what} is {_short(actual)}, expected {_short(expected)}")


def run(checks, service):
    """Carries all checks out, and gives how many have failed."""
    return sum(not _passes(check, service) for check in checks)


def _passes(check, service):
    try:
        check(service)
    except Exception as error:  # whatever the library throws is the finding
        line = " ".join(f"{type(error).__name__}: {error}".split())
        print(f"FAILED {check.__doc__}: {line}", flush=True)
        return False
    print(f"ok {check.__doc__}", flush=True)
    return True


def _short(value):
    text = repr(value)
    return text if len(text) <= 300 else f"{text[:300]}…"
