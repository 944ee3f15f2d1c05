/** How the patches of a class are applied: here, or by the port that calls extensions. Pure. */
import { found, type Reader } from '../../../machinery/api/reconcile.ts';
import { askExtensions } from '../../ports/extensions.ts';
import type { Cluster } from '../cluster/schema.ts';
import { type PatchTemplates, patchedTemplates } from './patches.ts';
import { PatchError } from './values.ts';

/** What is needed is not read yet. */
export class Unread extends Error {}

export const patching =
  ({ metadata }: Cluster, read: Reader): PatchTemplates =>
  (items, patches) => {
    if (!patches.some(({ external }) => external)) return patchedTemplates(items, patches);
    const patched = found(
      askExtensions(read, 'Patch', {
        namespace: metadata.namespace ?? '',
        items: items as never,
        patches: patches as never,
      }),
    );
    if (!patched) throw new Unread();
    if (patched.failed !== undefined) throw new PatchError(patched.failed);
    return patched.templates;
  };
