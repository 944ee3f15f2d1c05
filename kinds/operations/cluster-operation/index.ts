import { age, column, defineKind } from '../../define.ts';
import { withCanceller } from './canceller.ts';
import { restoredAtAnnotation } from './execution.ts';
import { clusterOperation as facts } from './kind.ts';
import { operationSpec, operationStatus } from './schema.ts';
import { validateOperation } from './validate.ts';

export type * from './schema.ts';

/**
 * An operation on a whole cluster. Capstan creates it, or a user for a restore; the Cluster owns it, and users may cancel
 * it.
 */
export const clusterOperation = defineKind({
  ...facts,
  shortNames: ['clop'],
  reservedAnnotations: [restoredAtAnnotation],
  default: withCanceller,
  validate: validateOperation,
  versions: [
    {
      name: 'v1alpha1',
      served: true,
      storage: true,
      description: 'Creating, upgrading, restoring or deleting a cluster: its steps, and how it ended.',
      columns: [
        column('Cluster', 'string', '.spec.clusterName', 'The cluster.'),
        column('Type', 'string', '.spec.type', 'What is done.'),
        column('Phase', 'string', '.status.phase', 'Where it stands.'),
        column('Step', 'string', '.status.step', 'The step that runs, or at which it ended.'),
        column('Attempt', 'integer', '.spec.tries', 'Which attempt it is since the last one that succeeded.'),
        age,
        column('Message', 'string', '.status.message', 'What it waits for, or why it ended so.', 1),
      ],
      spec: operationSpec,
      specRequired: true,
      status: operationStatus,
    },
  ],
});
