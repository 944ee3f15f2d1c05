/** Asks the extensions of a ClusterClass which variables they define. Pure. */
import { found, type Reader } from '../../../machinery/api/reconcile.ts';
import { askExtensions } from '../../ports/extensions.ts';
import { askApi } from '../../ports/index.ts';
import { type Discovered, discoveredIn } from './definitions.ts';
import type { ClusterClass } from './schema.ts';

/** Without those that are not read yet. */
export const discoverVariables = ({ metadata, spec }: ClusterClass, read: Reader): (Discovered | { fault: string })[] =>
  (spec?.patches ?? []).flatMap(({ name, external }): (Discovered | { fault: string })[] => {
    const handler = external?.discoverVariablesExtension;
    if (handler === undefined) return [];
    const asked = found(
      askExtensions(read, 'Call', {
        namespace: metadata.namespace ?? '',
        handler,
        hook: 'DiscoverVariables',
        ...(external?.settings && { settings: external.settings }),
        request: {},
      }),
    );
    if (!asked) return [];
    if (asked.failed !== undefined) return [{ fault: `patch ${name}: ${asked.failed}` }];
    const discovered = discoveredIn(name, asked.answer);
    if ('fault' in discovered) return [discovered];
    const faults = found(askApi(read, 'VariableFaults', { definitions: discovered.definitions })) ?? [];
    if (faults.length === 0) return [discovered];
    return [{ fault: `patch ${name}: ${faults.map(({ field, detail }) => `${field}: ${detail}`).join('; ')}` }];
  });
