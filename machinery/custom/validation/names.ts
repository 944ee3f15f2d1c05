/** Validates the group and the names of a definition. */

import { invalid, required } from '../../api/faults.ts';
import type { FieldError } from '../../api/kind.ts';
import { nameFaults } from '../../api/names.ts';
import { labelFaults } from '../../api/webhook-faults.ts';
import type { DefinitionNames } from '../definition.ts';

const labelled = (field: string, text: string | undefined): FieldError[] => {
  if (!text) return [];
  const faults = labelFaults(text);
  return faults.length > 0 ? [invalid(field, text, faults.join(','))] : [];
};

const mixed = (field: string, text: string | undefined): FieldError[] => {
  if (!text) return [];
  const faults = labelFaults(text.toLowerCase());
  const detail = `may have mixed case, but should otherwise match: ${faults.join(',')}`;
  return faults.length > 0 ? [invalid(field, text, detail)] : [];
};

export const groupErrors = (group: string | undefined): FieldError[] => {
  if (!group) return [required('spec.group')];
  const faults = nameFaults('subdomain', group);
  if (faults.length > 0) return [invalid('spec.group', group, faults.join(','))];
  if (!group.includes('.')) return [invalid('spec.group', group, 'should be a domain with at least one dot')];
  return [];
};

/** Faults of names, whether asked for or accepted. */
export const namesErrors = (names: Partial<DefinitionNames>, field: string): FieldError[] => [
  ...labelled(`${field}.plural`, names.plural),
  ...labelled(`${field}.singular`, names.singular),
  ...mixed(`${field}.kind`, names.kind),
  ...mixed(`${field}.listKind`, names.listKind),
  ...(names.shortNames ?? []).flatMap((name, i) => labelled(`${field}.shortNames[${i}]`, name)),
  ...(names.kind && names.kind === names.listKind
    ? [invalid(`${field}.listKind`, names.listKind, 'kind and listKind may not be the same')]
    : []),
  ...(names.categories ?? []).flatMap((name, i) => labelled(`${field}.categories[${i}]`, name)),
];

export const missingNames = (names: Partial<DefinitionNames>): FieldError[] =>
  (['plural', 'singular', 'kind', 'listKind'] as const).flatMap((name) =>
    names[name] ? [] : [required(`spec.names.${name}`)],
  );
