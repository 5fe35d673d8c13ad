// Sends the WEBHOOKS that it is given, one after the other.
for (const [path, body] of JSON.parse(process.env.WEBHOOKS)) {
  const headers = { 'content-type': 'application/json' }
  const options = { method: 'POST', headers, body: JSON.stringify(body) }
  await fetch(process.env.LOCAL_CATCHER_URL + path, options)
}
