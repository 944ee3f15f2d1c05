import { defineController } from '../../../machinery/api/reconcile.ts';
import type { Secret } from '../../core/contract/cluster-secrets.ts';
import type { ExtensionConfig } from '../extension-config/schema.ts';
import { namedSecret, secretKeyOf } from './annotation.ts';
import { type Observed, reconcile } from './reconcile.ts';

/** The authority controller: gives an ExtensionConfig the certificates of the Secret that it names. */
export const extensionAuthority = defineController<ExtensionConfig, Observed>({
  name: 'extension-authority',
  for: 'ExtensionConfig',
  // The worker of the ExtensionConfig controller reads no Secret.
  worker: 'workload',
  level: 'gate',
  watches: [{ kind: 'Secret', to: 'referrers', level: 'gate' }],
  conditions: 'none',
  observe: (extension, read) => {
    const named = namedSecret(extension);
    const key = named === undefined || extension.metadata.deletionTimestamp ? undefined : secretKeyOf(named);
    return { extension, secret: key && read.get<Secret>('Secret', key) };
  },
  reconcile,
});
