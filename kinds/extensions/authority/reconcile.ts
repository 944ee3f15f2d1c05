/** Decides which certificates an ExtensionConfig gets. Pure. */
import type { Plan, Read } from '../../../machinery/api/reconcile.ts';
import type { Secret } from '../../core/contract/cluster-secrets.ts';
import type { ExtensionConfig } from '../extension-config/schema.ts';
import { authorityKey } from './annotation.ts';

export interface Observed {
  extension: ExtensionConfig;
  secret: Read<Secret> | undefined;
}

/** Certificates that were given before stay while there are none. */
export const reconcile = ({ extension, secret }: Observed): Plan => {
  const caBundle = secret?.state === 'found' ? secret.value.data?.[authorityKey] : undefined;
  if (!caBundle || caBundle === extension.spec?.clientConfig.caBundle) return {};
  return { intent: { spec: { clientConfig: { caBundle } } } };
};
