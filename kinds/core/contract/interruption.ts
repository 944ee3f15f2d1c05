/**
 * A provider's notice that it takes a host away, or might: an annotation of the infrastructure
 * machine, because the notice comes as an event and cannot be read again. Pure.
 */
import type { FieldError } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import type { Machine } from '../machine/schema.ts';
import { hostAtRisk, hostInterrupted } from './host-health.ts';
import { isDeleting, machineIs } from './machines.ts';

/** JSON of an Interruption. Reserved for controllers. */
export const interruptionAnnotation = 'capstan.dev/interruption';

export type Interruption = {
  /** A condition reason, such as SpotInterruption. */
  reason: string;
  /** The host that it is about: a copy of the object may name another one. */
  providerID: string;
  /** Milliseconds since the epoch. */
  at: number;
  /** When the host ends; absent if the provider only says that it might. */
  deadline?: number;
};

const isNotice = (value: unknown): value is Interruption => {
  const { reason, providerID, at, deadline } = (value ?? {}) as Partial<Interruption>;
  return (
    typeof reason === 'string' &&
    typeof providerID === 'string' &&
    typeof at === 'number' &&
    (deadline === undefined || typeof deadline === 'number')
  );
};

export const interruptionOf = ({ metadata, spec }: KubeObject): Interruption | undefined => {
  const { providerID } = (spec ?? {}) as { providerID?: string };
  try {
    const notice: unknown = JSON.parse(metadata.annotations?.[interruptionAnnotation] ?? 'null');
    return isNotice(notice) && notice.providerID === providerID ? notice : undefined;
  } catch {
    return undefined;
  }
};

/** The annotation after a notice; undefined if it says no more than an earlier one. */
export const interruptionNote = (object: KubeObject, notice: Interruption): string | undefined => {
  const known = interruptionOf(object);
  const isNews = !known || (known.deadline === undefined && notice.deadline !== undefined);
  return isNews ? JSON.stringify(notice) : undefined;
};

/** The host of a Machine in deletion ends soon: a new Machine need not wait until it is gone. */
export const isEvacuated = (machine: Machine): boolean =>
  isDeleting(machine) && (machineIs(machine, hostInterrupted) || machineIs(machine, hostAtRisk));

/** On a MachineDeployment or MachineSet: whether a host that is merely at risk is replaced. */
export const rebalanceAnnotation = 'capstan.dev/replace-on-rebalance';

export const isReplacedAtRisk = (owner: KubeObject | undefined): boolean =>
  owner?.metadata.annotations?.[rebalanceAnnotation] === 'true';

export const validateRebalance = ({ metadata }: KubeObject): FieldError[] => {
  const value = metadata.annotations?.[rebalanceAnnotation];
  if (value === undefined || value === 'true' || value === 'false') return [];
  return [
    {
      reason: 'FieldValueNotSupported',
      field: `metadata.annotations[${rebalanceAnnotation}]`,
      value,
      detail: 'supported values: "false", "true"',
    },
  ];
};
