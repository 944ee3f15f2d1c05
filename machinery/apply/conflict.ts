/** Conflicts of an apply with other managers, as kubectl prints them. */
import { ApiError } from '../api/errors.ts';
import { type Element, pathText } from './element.ts';
import { identityOf, type Manager } from './entries.ts';
import { type FieldSet, pathsOf } from './field-set.ts';
import { compareText, quoted } from './go-text.ts';

export interface Conflict {
  manager: Manager;
  path: Element[];
}

export const conflictsWith = (manager: Manager, fields: FieldSet): Conflict[] =>
  pathsOf(fields).map((path) => ({ manager, path }));

const shown = ({ name, operation, apiVersion, subresource }: Manager): string =>
  `${quoted(name)}${subresource ? ` with subresource ${quoted(subresource)}` : ''}${operation === 'Update' ? ` using ${apiVersion}` : ''}`;

const messageOf = (conflicts: readonly Conflict[]): string => {
  const [first] = conflicts;
  if (conflicts.length === 1)
    return `Apply failed with 1 conflict: conflict with ${shown(first!.manager)}: ${pathText(first!.path)}`;
  const lines = conflicts.map(({ manager, path }, i) => {
    const isNew = i === 0 || conflicts[i - 1]!.manager !== manager;
    return `${isNew ? `conflicts with ${shown(manager)}:\n` : ''}- ${pathText(path)}`;
  });
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join('\n')}`;
};

/** A 409 with a cause for each field. */
export class ApplyConflict extends ApiError {
  readonly conflicts: readonly Conflict[];

  constructor(unordered: readonly Conflict[]) {
    const conflicts = unordered.toSorted((a, b) => compareText(identityOf(a.manager), identityOf(b.manager)));
    super(409, 'Conflict', messageOf(conflicts), {
      causes: conflicts.map(({ manager, path }) => ({
        reason: 'FieldManagerConflict',
        message: `conflict with ${shown(manager)}`,
        field: pathText(path),
      })),
    });
    this.conflicts = conflicts;
  }
}
