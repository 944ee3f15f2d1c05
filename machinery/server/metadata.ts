/** Validates object metadata. */
import type { FieldError, KindDefinition } from '../api/kind.ts';
import { isLabelValue, isQualifiedName } from '../api/labels.ts';
import { equal } from '../api/merge.ts';
import { nameFaults, subdomainFaults, subdomainText, tooLong } from '../api/names.ts';
import type { ObjectMeta, OwnerReference } from '../api/object.ts';

const mostAnnotationBytes = 256 * 1024;
/** Indexes find dependents by the owner's uid, which is part of a key. */
const mostUidBytes = 253;

const qualifiedText =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const prefixText = `prefix part ${subdomainText}`;
const valueText =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const invalid = (field: string, value: unknown, detail: string): FieldError => ({
  reason: 'FieldValueInvalid',
  field,
  value,
  detail,
});

const overlong = (field: string, most: number): FieldError => ({
  reason: 'FieldValueTooLong',
  field,
  value: '',
  detail: `may not be more than ${most} bytes`,
});

const qualifiedFaults = (text: string): string[] => {
  if (isQualifiedName(text)) return [];
  const parts = text.split('/');
  if (parts.length > 2)
    return [
      "a qualified name must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
    ];
  const [name, prefix] = parts.length === 2 ? [parts[1]!, parts[0]!] : [parts[0]!, undefined];
  const faults: string[] = [];
  if (prefix === '') faults.push('prefix part must be non-empty');
  else if (prefix !== undefined && subdomainFaults(prefix).length > 0) faults.push(prefixText);
  if (name === '') faults.push('name part must be non-empty');
  if (name.length > 63) faults.push(`name part ${tooLong(63)}`);
  if (!/^(?:[A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/.test(name)) faults.push(qualifiedText);
  return faults;
};

const valueFaults = (value: string): string[] => {
  if (isLabelValue(value)) return [];
  const long = value.length > 63 ? [tooLong(63)] : [];
  return /^(?:(?:[A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/.test(value) ? long : [...long, valueText];
};

const labelErrors = (labels: Record<string, string>): FieldError[] =>
  Object.entries(labels).flatMap(([key, value]) => [
    ...qualifiedFaults(key).map((fault) => invalid('metadata.labels', key, fault)),
    ...valueFaults(value).map((fault) => invalid('metadata.labels', value, fault)),
  ]);

const annotationErrors = (annotations: Record<string, string>): FieldError[] => {
  const field = 'metadata.annotations';
  const errors = Object.keys(annotations).flatMap((key) =>
    qualifiedFaults(key.toLowerCase()).map((fault) => invalid(field, key, fault)),
  );
  const size = Object.entries(annotations).reduce((sum, pair) => sum + Buffer.byteLength(pair.join('')), 0);
  if (size > mostAnnotationBytes) errors.push(overlong(field, mostAnnotationBytes));
  return errors;
};

const ownerErrors = (owners: OwnerReference[]): FieldError[] => {
  const field = 'metadata.ownerReferences';
  const errors = owners.flatMap((owner) => {
    const empty = (['apiVersion', 'kind', 'name', 'uid'] as const).filter((part) => !owner[part]);
    const faults = empty.map((part) =>
      invalid(`${field}.${part}`, owner[part] ?? '', `${part === 'apiVersion' ? 'version' : part} must not be empty`),
    );
    if (owner.uid && Buffer.byteLength(owner.uid) > mostUidBytes) faults.push(overlong(`${field}.uid`, mostUidBytes));
    if (owner.apiVersion === 'v1' && owner.kind === 'Event')
      faults.push(invalid(field, owner, '/v1, Kind=Event is disallowed from being an owner'));
    return faults;
  });
  const [first, ...others] = owners.filter((owner) => owner.controller).map((owner) => `${owner.kind}/${owner.name}`);
  for (const other of others)
    errors.push(
      invalid(
        field,
        owners,
        `Only one reference can have Controller set to true. Found "true" in references for ${first} and ${other}`,
      ),
    );
  return errors;
};

const finalizerErrors = (finalizers: string[]): FieldError[] => {
  const field = 'metadata.finalizers';
  const errors = finalizers.flatMap((name) => qualifiedFaults(name).map((fault) => invalid(field, name, fault)));
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion'))
    errors.push(invalid(field, finalizers, 'finalizer orphan and foregroundDeletion cannot be both set'));
  return errors;
};

const nameErrors = (kind: KindDefinition, metadata: ObjectMeta): FieldError[] => {
  const { name, namespace, generateName } = metadata;
  const errors: FieldError[] = [];
  if (generateName)
    for (const fault of nameFaults(kind.names, generateName, true))
      errors.push(invalid('metadata.generateName', generateName, fault));
  if (!name)
    errors.push({ reason: 'FieldValueRequired', field: 'metadata.name', detail: 'name or generateName is required' });
  else for (const fault of nameFaults(kind.names, name)) errors.push(invalid('metadata.name', name, fault));
  if (kind.namespaced)
    for (const fault of nameFaults('label', namespace ?? ''))
      errors.push(invalid('metadata.namespace', namespace, fault));
  return errors;
};

const immutable = (field: keyof ObjectMeta, metadata: ObjectMeta, old: ObjectMeta): FieldError[] =>
  equal(metadata[field], old[field]) ? [] : [invalid(`metadata.${field}`, metadata[field] ?? '', 'field is immutable')];

/** Faults of an object's metadata; with `old`, as an update. */
export const metadataErrors = (kind: KindDefinition, metadata: ObjectMeta, old?: ObjectMeta): FieldError[] => [
  ...(old
    ? [...immutable('name', metadata, old), ...immutable('namespace', metadata, old)]
    : nameErrors(kind, metadata)),
  ...labelErrors(metadata.labels ?? {}),
  ...annotationErrors(metadata.annotations ?? {}),
  ...ownerErrors(metadata.ownerReferences ?? []),
  ...finalizerErrors(metadata.finalizers ?? []),
];

/** Faults of the metadata of an object at a path within another one, whose name may be any. */
export const embeddedMetadataErrors = (metadata: ObjectMeta, path: string): FieldError[] =>
  [
    ...(metadata.name
      ? nameFaults('path', metadata.name).map((fault) => invalid('metadata.name', metadata.name, fault))
      : []),
    ...(metadata.namespace
      ? nameFaults('label', metadata.namespace).map((fault) => invalid('metadata.namespace', metadata.namespace, fault))
      : []),
    ...labelErrors(metadata.labels ?? {}),
    ...annotationErrors(metadata.annotations ?? {}),
    ...ownerErrors(metadata.ownerReferences ?? []),
    ...finalizerErrors(metadata.finalizers ?? []),
  ].map((error) => ({ ...error, field: `${path}.${error.field}` }));

/** Warnings about finalizers without a domain, which may collide with another controller's. */
export const finalizerWarnings = (metadata: ObjectMeta, old?: ObjectMeta): string[] =>
  (metadata.finalizers ?? [])
    .filter((name) => !name.includes('/') && name !== 'orphan' && name !== 'foregroundDeletion')
    .filter((name) => !old?.finalizers?.includes(name))
    .map(
      (name) =>
        `metadata.finalizers: ${JSON.stringify(name)}: prefer a domain-qualified finalizer name${name.includes('.') ? ' including a path (/)' : ''} to avoid accidental conflicts with other finalizer writers`,
    );
