/** Propagates in-place fields of the template to existing Machines and their parts. Pure. */
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject, JsonValue, KubeObject } from '../../../machinery/api/object.ts';
import { type Action, found, type Read } from '../../../machinery/api/reconcile.ts';
import { patchOf } from '../../common/owners.ts';
import { type Flowing, flowInto } from '../../common/propagation.ts';
import { isDeleting } from '../contract/machines.ts';
import { nodeDeletionTimeout } from '../machine/defaults.ts';
import type { Machine } from '../machine/schema.ts';
import { flowOf, inPlaceFields } from './creation.ts';
import type { Observed } from './observe.ts';
import type { MachineSet } from './schema.ts';

/** A merge patch with null for each field that the template does not set. */
const inPlacePatch = (machineSet: MachineSet): JsonObject => {
  const { readinessGates, minReadySeconds, taints, deletion } = inPlaceFields(machineSet);
  return {
    readinessGates: (readinessGates ?? null) as JsonValue,
    minReadySeconds: minReadySeconds ?? null,
    taints: (taints ?? null) as JsonValue,
    deletion: {
      nodeDrainTimeoutSeconds: deletion?.nodeDrainTimeoutSeconds ?? null,
      nodeVolumeDetachTimeoutSeconds: deletion?.nodeVolumeDetachTimeoutSeconds ?? null,
      nodeDeletionTimeoutSeconds: deletion?.nodeDeletionTimeoutSeconds ?? nodeDeletionTimeout,
    },
  };
};

/** Whether a merge patch would change nothing. */
const follows = (current: unknown, patch: JsonValue | undefined): boolean => {
  if (patch === null || patch === undefined) return current === undefined;
  if (typeof patch !== 'object' || Array.isArray(patch)) return isDeepStrictEqual(current, patch);
  const fields = (current ?? {}) as Record<string, unknown>;
  return Object.entries(patch).every(([field, value]) => follows(fields[field], value));
};

// A Machine in deletion takes over only spec fields, which include the deletion timeouts, and no
// labels.
const syncMachine = (machine: Machine, spec: JsonObject, flow: Flowing): Action[] => {
  const metadata = isDeleting(machine) ? undefined : flowInto(machine, flow);
  const isCurrent = follows(machine.spec, spec);
  if (!metadata && isCurrent) return [];
  const patch = { ...(metadata && { metadata }), ...(!isCurrent && { spec }) };
  return [{ ...patchOf(machine, patch), group: `sync ${machine.metadata.name}` }];
};

const syncParts = (parts: Read<KubeObject[]>, names: (string | undefined)[], flow: Flowing): Action[] =>
  (found(parts) ?? [])
    .filter((part) => names.includes(part.metadata.name) && !isDeleting(part))
    .flatMap((part) => {
      const metadata = flowInto(part, flow);
      return metadata ? [{ ...patchOf(part, { metadata }), group: `sync ${part.kind} ${part.metadata.name}` }] : [];
    });

export const syncMachines = (
  { machineSet, infraMachines, bootstrapConfigs }: Observed,
  machines: Machine[],
): Action[] => {
  const flow = flowOf(machineSet);
  const spec = inPlacePatch(machineSet);
  const living = machines.filter((machine) => !isDeleting(machine));
  const hosts = living.map((machine) => machine.spec?.infrastructureRef.name);
  const configs = living.map((machine) => machine.spec?.bootstrap.configRef?.name);
  return [
    ...machines.flatMap((machine) => syncMachine(machine, spec, flow)),
    ...syncParts(infraMachines, hosts, flow),
    ...syncParts(bootstrapConfigs, configs, flow),
  ];
};
