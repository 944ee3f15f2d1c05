/** metav1.ObjectMeta, for decoding and for OpenAPI. */
import {
  anyObject,
  atomicList,
  boolean,
  int64,
  list,
  listMap,
  object,
  required,
  string,
  stringMap,
  time,
} from '../api/schema.ts';

const ownerReference = object(
  'Names an object in the same namespace, or a cluster-scoped one, that owns this object.',
  {
    apiVersion: required(string('Group and version of the owner.')),
    kind: required(string('Kind of the owner.')),
    name: required(string('Name of the owner.')),
    uid: required(string('Identity of the owner: a namesake made later does not own this object.')),
    controller: boolean('Whether this owner is the controller that manages the object; at most one may be.'),
    blockOwnerDeletion: boolean('Whether a foreground deletion of the owner waits for this object.'),
  },
  { 'x-kubernetes-map-type': 'atomic' },
);

const managedFieldsEntry = object('Which fields one writer set.', {
  apiVersion: string('Version that the field names belong to.'),
  fieldsType: string('Form of fieldsV1; always FieldsV1.'),
  fieldsV1: anyObject('The fields, as a tree.'),
  manager: string('Name of the writer.'),
  operation: string('How the fields were written: Apply or Update.'),
  subresource: string('Subresource through which they were written.'),
  time: time('When they were written.'),
});

const metadata = object("Standard object's metadata.", {
  name: string('Unique name within the namespace and kind; cannot be changed.'),
  generateName: string('Prefix from which the server makes a unique name when none is given.'),
  namespace: string('Namespace the object lives in; empty for cluster-scoped kinds.'),
  selfLink: string('No longer filled in.'),
  uid: string('Identity of this object in time and space, given by the server.'),
  resourceVersion: string('Position of the last change; opaque to clients but for comparing and watching.'),
  generation: int64('Counts changes of the desired state.'),
  creationTimestamp: time('CreationTimestamp is a timestamp of when the server created the object.'),
  deletionTimestamp: time('When the object was asked to go; set by the server.'),
  deletionGracePeriodSeconds: int64('Seconds it was given to go gracefully.'),
  labels: stringMap('Keys and values by which objects are selected.'),
  annotations: stringMap('Keys and values that are stored with the object and not queried.'),
  ownerReferences: listMap('Objects this one depends on; when all are gone it is collected.', ['uid'], ownerReference, {
    'x-kubernetes-patch-merge-key': 'uid',
    'x-kubernetes-patch-strategy': 'merge',
  }),
  finalizers: list('Names of those that must finish before the object goes away.', string(''), {
    'x-kubernetes-list-type': 'set',
    'x-kubernetes-patch-strategy': 'merge',
  }),
  managedFields: atomicList('Which writer set which fields.', managedFieldsEntry),
});

export const metadataSchema = metadata.json;
