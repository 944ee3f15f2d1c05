/** The ExtensionConfig controller: asks an extension what it handles. */
import { defineController } from '../../../machinery/api/reconcile.ts';
import { askExtensions } from '../../ports/extensions.ts';
import { type Observed, reconcile } from './reconcile.ts';
import type { ExtensionConfig } from './schema.ts';

export const extensionConfigController = defineController<ExtensionConfig, Observed>({
  name: 'extension-config',
  for: 'ExtensionConfig',
  worker: 'core',
  watches: [],
  conditions: 'v1beta2',
  observe: (extension, read) => {
    const { clientConfig, settings } = extension.spec ?? {};
    return {
      extension,
      discovery:
        clientConfig && !extension.metadata.deletionTimestamp
          ? askExtensions(read, 'Discover', {
              clientConfig,
              ...(settings && { settings }),
            })
          : undefined,
    };
  },
  reconcile,
});
