/**
 * Server-side apply and the tracking of owners, as pure functions: Kubernetes' managedfields and
 * structured-merge-diff.
 */
export { type Applied, type Apply, apply } from './apply.ts';
export { ApplyConflict, type Conflict } from './conflict.ts';
export { type Element, fieldElement } from './element.ts';
export { decodeEntries, isReset, UndecodableEntries, withoutNewTimes } from './entries.ts';
export { type FieldSet, fieldSet } from './field-set.ts';
export { entriesAfterScale, type ReplicasAt, scaleEntries } from './scale.ts';
export { deduced, type MergeType, mergeTypeOf } from './type.ts';
export { type Updated, update } from './update.ts';
export { UntypedObject, type Versions, type Write } from './write.ts';
