import type { KindFacts } from '../../../machinery/api/kind.ts';
import type { JsonValue } from '../../../machinery/api/object.ts';
import { downloadAnnotation, restoreKeysAnnotation, verifyAnnotation } from '../../core/contract/file-requests.ts';
import { isOver } from './over.ts';

export const etcdSnapshot: KindFacts = {
  group: 'capstan.dev',
  kind: 'EtcdSnapshot',
  plural: 'etcdsnapshots',
  namespaced: true,
  // A restore asks for a check, too.
  direction: ({ spec, metadata: { annotations = {} } }) => [
    (spec ?? null) as JsonValue,
    annotations[verifyAnnotation] ?? null,
    annotations[downloadAnnotation] ?? null,
    annotations[restoreKeysAnnotation] ?? null,
  ],
  gates: ['phase', 'verification.request', 'keys'],
  summary: 'Ready',
  isPast: isOver,
};
