/** Redacts log values: no secrets, tokens or whole objects. */

const hidden = '[redacted]';
/** Names of values that are or may contain secrets. */
const secretName =
  /^(data|stringData|binaryData|body|spec|status|object|key|pem|input|output)$|token|password|passphrase|authorization|cookie|credential|user-?data|private-?key|client-?key|kubeconfig|secret-?(value|string|binary|access)|signature|plaintext/i;

const hides = (name: string, value: unknown): boolean =>
  secretName.test(name) && typeof value !== 'number' && typeof value !== 'boolean';

const patterns: readonly (readonly [RegExp, string])[] = [
  [/k8s-aws-v1\.[\w-]+/g, `k8s-aws-v1.${hidden}`],
  [/\bBearer\s+[^\s"',;]+/gi, `Bearer ${hidden}`],
  [/\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g, hidden],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)/g, hidden],
  [/\b(X-Amz-(?:Signature|Security-Token|Credential))=[^&\s"']+/gi, `$1=${hidden}`],
  // A kubeadm bootstrap token.
  [/\b[a-z0-9]{6}\.[a-z0-9]{16}\b/g, hidden],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, hidden],
];
const longestText = 8192;
const deepest = 6;

export const redactText = (text: string): string => {
  const clean = patterns.reduce((left, [pattern, instead]) => left.replace(pattern, instead), text);
  return clean.length > longestText ? `${clean.slice(0, longestText)}…` : clean;
};

interface Named {
  kind: unknown;
  metadata: { namespace?: unknown; name?: unknown };
}
const isObjectOfKubernetes = (value: object): value is Named =>
  'kind' in value && 'metadata' in value && typeof value.metadata === 'object' && value.metadata !== null;

const redactError = (error: Error, depth: number): unknown => {
  const { code } = error as { code?: unknown };
  return {
    name: error.name,
    ...(code !== undefined && { code: redact(code, depth + 1) }),
    message: redactText(error.message),
    ...(error.stack && { stack: redactText(error.stack) }),
    ...(error.cause !== undefined && { cause: redact(error.cause, depth + 1) }),
  };
};

/** A JSON value that is safe to log. */
export const redact = (value: unknown, depth = 0): unknown => {
  if (typeof value === 'string') return redactText(value);
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > deepest) return '…';
  if (value instanceof Error) return redactError(value, depth);
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value)) return value.map((one) => redact(one, depth + 1));
  if (isObjectOfKubernetes(value)) {
    const { namespace, name } = value.metadata;
    return `${String(value.kind)} ${namespace ? `${String(namespace)}/` : ''}${String(name)}`;
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, hides(name, one) ? hidden : redact(one, depth + 1)]),
  );
};
