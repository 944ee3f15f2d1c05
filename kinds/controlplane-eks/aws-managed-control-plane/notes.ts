/** What the controller records on an AWSManagedControlPlane. Reserved for controllers. */
import { pendingAnnotation } from '../../core/contract/infrastructure.ts';
import { appliedOwnTagsAnnotation, appliedTagsAnnotation } from '../../infrastructure-aws/engine/additional-tags.ts';
import { awaitingAnnotation } from '../../infrastructure-aws/engine/step.ts';
import { clusterUidTag } from '../../infrastructure-aws/engine/tags.ts';
import { serviceCidrAnnotation } from '../service-cidr.ts';
import { partsAnnotation } from './parts.ts';

export const reservedNotes = [
  clusterUidTag,
  partsAnnotation,
  serviceCidrAnnotation,
  pendingAnnotation,
  awaitingAnnotation,
  appliedOwnTagsAnnotation,
];

/** Upstream's annotation, which users may bring along, is among them. */
export const notes = [...reservedNotes, appliedTagsAnnotation];
