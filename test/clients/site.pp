# What the real agent applies: every kind of outcome that a report can tell of.

class outcomes (String $folder) {
  file { "${folder}/unchanged":
    ensure  => file,
    content => 'as it was',
  }

  file { "${folder}/changed":
    ensure  => file,
    content => "new content\n",
  }

  exec { 'fails':
    command => '/bin/sh -c "echo on its way out; exit 3"',
  }

  file { "${folder}/never made":
    ensure  => directory,
    require => Exec['fails'],
  }

  file { "${folder}/only announced":
    ensure  => file,
    content => 'not written',
    noop    => true,
  }

  outcomes::greeting { 'grüße': }
}

define outcomes::greeting {
  notify { "greeting ${title}":
    message => "Grüße aus Zürich, \"世界\" 😀 \\ ‘ok’",
  }
}

class { 'outcomes':
  folder => $facts['outcomes_folder'],
}
