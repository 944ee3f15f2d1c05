/**
 * What the Machine controller reads from bootstrap and infrastructure objects, in either contract
 * version.
 */
import type { Condition, KubeObject, LegacyCondition } from '../../../machinery/api/object.ts';
import { filledAnnotation } from '../../common/filled.ts';
import { controllerOf } from '../../common/owners.ts';
import type { Machine, MachineStatus } from '../machine/schema.ts';

type Fields = Record<string, unknown>;
const statusOf = (object: KubeObject): Fields => (object.status ?? {}) as Fields;
const specOf = (object: KubeObject): Fields => (object.spec ?? {}) as Fields;
const initialization = (object: KubeObject): Fields => (statusOf(object).initialization ?? {}) as Fields;
const text = (value: unknown): string | undefined => (typeof value === 'string' && value ? value : undefined);

export const conditionsOf = (object: KubeObject): (Condition | LegacyCondition)[] =>
  (statusOf(object).conditions ?? []) as (Condition | LegacyCondition)[];

export const isDataSecretCreated = (config: KubeObject): boolean =>
  (initialization(config).dataSecretCreated ?? statusOf(config).ready) === true;
export const dataSecretNameOf = (config: KubeObject): string | undefined => text(statusOf(config).dataSecretName);

export const isProvisioned = (infraMachine: KubeObject): boolean =>
  (initialization(infraMachine).provisioned ?? statusOf(infraMachine).ready) === true;
export const providerIdOf = (infraMachine: KubeObject): string | undefined => text(specOf(infraMachine).providerID);
export const addressesOf = (infraMachine: KubeObject): MachineStatus['addresses'] =>
  statusOf(infraMachine).addresses as MachineStatus['addresses'];
export const failureDomainOf = (infraMachine: KubeObject): string | undefined =>
  text(statusOf(infraMachine).failureDomain) ?? text(specOf(infraMachine).failureDomain);
export const isInterruptible = (infraMachine: KubeObject): boolean => statusOf(infraMachine).interruptible === true;

/** A user created the Machine: no controller would recreate it. */
export const isGiven = (machine: Machine): boolean => controllerOf(machine) === undefined;

/** Whether a Machine carries nothing from a former host, apart from what its user set. */
export const isCleared = ({ metadata, spec, status }: Machine): boolean => {
  const { initialization, nodeRef } = status ?? {};
  const isBootstrapped = initialization?.bootstrapDataSecretCreated === true;
  return (
    metadata.annotations?.[filledAnnotation] === undefined &&
    nodeRef === undefined &&
    initialization?.infrastructureProvisioned !== true &&
    (!isBootstrapped || spec?.bootstrap.dataSecretName !== undefined)
  );
};
