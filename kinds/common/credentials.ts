/** Removes credentials from text that others print, such as the console output of a host. Pure. */

/** Join tokens, certificate keys, signatures of links, values of secrets, bearer tokens and AWS keys. */
export const withoutCredentials = (text: string): string =>
  text
    .replaceAll(/\?[^\s'"]*[Ss]ignature=[^\s'"]*/g, '')
    .replaceAll(/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)/g, '…')
    .replaceAll(/\b[a-z0-9]{6}\.[a-z0-9]{16}\b/g, '…')
    .replaceAll(/(?<!sha256:)\b[0-9a-f]{64}\b/g, '…')
    .replaceAll(/\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, '…')
    .replaceAll(/((?:token|password|passwd|secret|authorization|access.?key)["']?\s*[=:]\s*)\S.*/gi, '$1…')
    .replaceAll(/(bearer\s+)\S+/gi, '$1…')
    .replaceAll(/\bey[A-Za-z0-9_-]{10,}\.[\w.-]+/g, '…')
    .replaceAll(/(?<!sha256:|[\w+/])[A-Za-z0-9+/]{60,}={0,2}/g, '…');
