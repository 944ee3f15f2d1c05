/**
 * The body of a write in the audit log, as a Kubernetes audit policy has it at level Request, and
 * without what it may hold of secrets.
 */
import type { Attributes } from './call.ts';

/** Resources whose bodies are secrets, or may be: as the audit policy that Kubernetes recommends. */
const secret = new Set(['secrets', 'configmaps', 'tokenreviews', 'serviceaccounts/token']);

/** Fields of any object that hold what users do not want to read in a log. */
const hiddenField =
  /^(?:data|stringData|content|contents|passwd|password|token|bootstrapToken|certificateKey|userData|kubeconfig|(?:pre|post)KubeadmCommands|bootCommands)$/i;
const hiddenKey = 'kubectl.kubernetes.io/last-applied-configuration';
const hidden = '…';

/** Characters of a recorded body; a log group takes events of 256 KB. */
const longest = 16 * 1024;

type Redact = (text: string) => string;

const isHidden = (name: string): boolean => hiddenField.test(name) || name === hiddenKey;

/** `pre/kubeadm` escaped as in a JSON pointer. */
const segmentsOf = (pointer: string): string[] =>
  pointer.split('/').map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));

const withoutSecrets = (value: unknown, redact: Redact): unknown => {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((one) => withoutSecrets(one, redact));
  if (typeof value !== 'object' || value === null) return value;
  // An operation of a JSON patch names its field in a pointer.
  const { op, path } = value as { op?: unknown; path?: unknown };
  const isOperation = typeof op === 'string' && typeof path === 'string';
  const isWhole = isOperation && segmentsOf(path).some(isHidden);
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name,
      isHidden(name) || (isWhole && name === 'value') ? hidden : withoutSecrets(one, redact),
    ]),
  );
};

export interface RecordedBody {
  requestObject?: unknown;
  /** Why it is not there. */
  omitted?: string;
}

const parsed = async (request: Request, text: string): Promise<unknown> => {
  if (!/yaml/.test(request.headers.get('content-type') ?? '')) return JSON.parse(text);
  return (await import('./yaml.ts')).decodeYaml(text).value;
};

/** `copy`: the request, whose body was not read. Never rejects. */
export const recordedBody = async (
  copy: Request,
  { resource = '', subresource, group = '' }: Attributes,
  redact: Redact,
): Promise<RecordedBody> => {
  const isSecret = [resource, `${resource}/${subresource}`].some((one) => secret.has(one));
  if (isSecret && ['', 'authentication.k8s.io'].includes(group)) {
    void copy.body?.cancel();
    return {};
  }
  try {
    const requestObject = withoutSecrets(await parsed(copy, await copy.text()), redact);
    const { length } = JSON.stringify(requestObject);
    return length > longest ? { omitted: `${length} characters` } : { requestObject };
  } catch {
    return { omitted: 'unreadable' };
  }
};
