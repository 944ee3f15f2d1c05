/**
 * Backs off from the remediation of Machines whose replacements never become Available: the template
 * is at fault, and each further replacement costs money. Pure; `now` in milliseconds.
 */
import { timestamp } from '../../../machinery/api/lifecycle.ts';
import { digestOf } from '../../common/digest.ts';
import { isDeleting, machineIs } from '../contract/machines.ts';
import type { Machine } from '../machine/schema.ts';
import type { MachineSet } from './schema.ts';

/**
 * On a MachineSet: its remediations since a replacement last became Available. A user removes it to
 * try again.
 */
export const remediationsAnnotation = 'capstan.dev/remediations';
/** On a MachineSet or MachineDeployment: `Off` disables the backoff. */
export const backoffAnnotation = 'capstan.dev/remediation-backoff';

/** Seconds before the second, third and fourth remediation in a row. */
const delays = [300, 900, 3600];

interface Remediations {
  template: string;
  count: number;
  /** RFC 3339: the last one. */
  at: string;
}

const templateOf = ({ spec }: MachineSet): string => {
  const { version = null, infrastructureRef, bootstrap } = spec?.template.spec ?? {};
  return digestOf([version, { ...infrastructureRef }, { ...bootstrap?.configRef }]);
};

/** Undefined without remediations that count for the current template; an unreadable note is none. */
const notedOn = (machineSet: MachineSet): Remediations | undefined => {
  try {
    const note = JSON.parse(machineSet.metadata.annotations?.[remediationsAnnotation] ?? 'null') as Remediations | null;
    const isValid = note !== null && Number.isSafeInteger(note.count) && Number.isFinite(Date.parse(note.at));
    return isValid && note.template === templateOf(machineSet) ? note : undefined;
  } catch {
    return undefined;
  }
};

const isSince =
  ({ at }: Remediations) =>
  ({ metadata }: Machine): boolean =>
    Date.parse(metadata.creationTimestamp ?? '') >= Date.parse(at);

/** The remediations that no Available replacement has ended yet. */
const openOn = (machineSet: MachineSet, machines: readonly Machine[]): Remediations | undefined => {
  const note = notedOn(machineSet);
  if (!note || machineSet.metadata.annotations?.[backoffAnnotation] === 'Off') return undefined;
  const hasReplacement = machines
    .filter(isSince(note))
    .some((machine) => !isDeleting(machine) && machineIs(machine, 'Available'));
  return hasReplacement ? undefined : note;
};

export type Backoff =
  | { state: 'Free' }
  /** `seconds` until the next remediation, of the whole `delay`. */
  | { state: 'Waiting'; seconds: number; delay: number; count: number }
  /** No further remediation before the template changes, or a user asks for it. */
  | { state: 'Held'; count: number };

/**
 * Whether the `ill` Machines may be replaced now. Machines that are older than the last remediation
 * once worked, so they wait only while a newer one fails, too.
 */
export const backoffOf = (
  machineSet: MachineSet,
  machines: readonly Machine[],
  ill: readonly Machine[],
  now: number,
): Backoff => {
  const note = openOn(machineSet, machines);
  if (!note || !ill.some(isSince(note))) return { state: 'Free' };
  const delay = delays[note.count - 1];
  if (delay === undefined) return { state: 'Held', count: note.count };
  const seconds = Math.ceil((Date.parse(note.at) - now) / 1000 + delay);
  return seconds > 0 ? { state: 'Waiting', seconds, delay, count: note.count } : { state: 'Free' };
};

/**
 * The note once the `replaced` Machines are remediated: null to remove it, undefined to keep it. Only
 * the failure of a replacement counts as another remediation in a row.
 */
export const remediationsNote = (
  machineSet: MachineSet,
  machines: readonly Machine[],
  replaced: readonly Machine[],
  now: number,
): string | null | undefined => {
  const stored = machineSet.metadata.annotations?.[remediationsAnnotation];
  const open = openOn(machineSet, machines);
  if (replaced.length === 0 || (open && !replaced.some(isSince(open))))
    return open === undefined && stored !== undefined ? null : undefined;
  const note: Remediations = { template: templateOf(machineSet), count: (open?.count ?? 0) + 1, at: timestamp(now) };
  return JSON.stringify(note);
};
