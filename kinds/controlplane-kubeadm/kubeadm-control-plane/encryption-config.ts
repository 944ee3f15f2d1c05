/** The keys of encryption at rest that the spec of a control plane gives its API servers. Pure. */
import { gunzipSync } from 'node:zlib';
import type { Read, Reader } from '../../../machinery/api/reconcile.ts';
import { type Secret, secretValue } from '../../core/contract/cluster-secrets.ts';
import type { KubeadmControlPlane } from './index.ts';

const flag = 'encryption-provider-config';

const unreadable = (reason: string): Read<string> => ({ state: 'unreadable', reason });

const decoded = (content: string, encoding: string | undefined): Read<string> => {
  if (!encoding) return { state: 'found', value: content };
  try {
    const bytes = encoding.includes('base64') ? Buffer.from(content, 'base64') : Buffer.from(content, 'latin1');
    return { state: 'found', value: (encoding.includes('gzip') ? gunzipSync(bytes) : bytes).toString('utf8') };
  } catch {
    return unreadable('the file is not encoded as it says');
  }
};

/** The EncryptionConfiguration; undefined if no flag names a file of the spec. */
export const encryptionConfigOf = ({ metadata, spec }: KubeadmControlPlane, read: Reader): Read<string> | undefined => {
  const { clusterConfiguration, files = [] } = spec?.kubeadmConfigSpec ?? {};
  const path = clusterConfiguration?.apiServer?.extraArgs?.find(({ name }) => name === flag)?.value;
  const file = path === undefined ? undefined : files.find((one) => one.path === path);
  if (!file) return undefined;
  if (!file.contentFrom) return decoded(file.content ?? '', file.encoding);
  const { name, key } = file.contentFrom.secret;
  const secret = read.get<Secret>('Secret', { namespace: metadata.namespace ?? '', name });
  if (secret.state !== 'found') return secret;
  const content = secretValue(secret.value, key);
  return content === undefined ? unreadable(`Secret ${name} has no key ${key}`) : decoded(content, file.encoding);
};
