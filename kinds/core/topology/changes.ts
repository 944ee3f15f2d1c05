/** What a topology changes of the objects there are: the same for doing it and for a dry run. Pure. */
import type { JsonObject, JsonValue, KubeObject } from '../../../machinery/api/object.ts';
import { found, type Read, type Reader } from '../../../machinery/api/reconcile.ts';
import { labels as names } from '../../common/labels.ts';
import type { Trial } from '../../ports/api.ts';
import { askApi } from '../../ports/index.ts';
import { topologyLabels, topologyManager } from '../contract/topology.ts';
import type { Desired, DesiredDeployment, Facts } from './desired.ts';
import { nextTemplateName } from './names.ts';
import type { DesiredPool } from './pools.ts';

export type Effect = 'create' | 'update' | 'rotate' | 'delete';

export interface Change {
  effect: Effect;
  object: KubeObject;
  /** The state before an update, and the one that would be stored. */
  before?: KubeObject | undefined;
  after?: KubeObject | undefined;
  /** Changes after a failed one of the same group wait. */
  group: string;
}

export interface Changes {
  /** In the order in which they are made. */
  all: Change[];
  /** Why the API would refuse some of them. */
  refused: string[];
}

const unread = Symbol('unread');
type Tried<T> = T | typeof unread;

class Planner {
  readonly all: Change[] = [];
  readonly refused: string[] = [];
  isPending = false;
  readonly #read: Reader;
  readonly #facts: Facts;

  constructor(read: Reader, facts: Facts) {
    this.#read = read;
    this.#facts = facts;
  }

  #try(object: KubeObject): Tried<Trial> {
    const trial: Read<Trial> = askApi(this.#read, 'TryApply', { object, manager: topologyManager });
    if (trial.state === 'unread') this.isPending = true;
    if (trial.state === 'unreadable') return { refused: trial.reason };
    return found(trial) ?? unread;
  }

  #refuse({ kind, metadata }: KubeObject, why: string): void {
    this.refused.push(`${kind} ${metadata.name}: ${why}`);
  }

  /** An object of another user may have the name. */
  #isForeign({ metadata }: KubeObject): boolean {
    const { name } = this.#facts.cluster.metadata;
    return metadata.labels?.[names.cluster] !== name && metadata.labels?.[topologyLabels.owned] === undefined;
  }

  /** False if what depends on it must wait. */
  object(object: KubeObject, group: string, isNamed: boolean): boolean {
    const trial = this.#try(object);
    if (trial === unread) return true;
    if (trial.refused !== undefined) {
      this.#refuse(object, trial.refused);
      return false;
    }
    if (!isNamed && trial.change !== 'create' && this.#isForeign(trial.before!)) {
      this.#refuse(object, 'an object of this name exists and does not belong to the Cluster');
      return false;
    }
    if (trial.before?.metadata.deletionTimestamp) return true;
    if (trial.change === 'create') this.all.push({ effect: 'create', object, after: trial.object, group });
    else if (trial.change !== 'none')
      this.all.push({ effect: 'update', object, before: trial.before, after: trial.object, group });
    return true;
  }

  /** The name that the template has then; undefined if what refers to it must wait. */
  template(object: KubeObject, group: string, owner: string): string | undefined {
    const trial = this.#try(object);
    if (trial === unread) return object.metadata.name;
    if (trial.refused !== undefined) {
      this.#refuse(object, trial.refused);
      return undefined;
    }
    if (trial.change !== 'spec') {
      if (trial.change === 'create') this.all.push({ effect: 'create', object, after: trial.object, group });
      else if (trial.change !== 'none')
        this.all.push({ effect: 'update', object, before: trial.before, after: trial.object, group });
      return object.metadata.name;
    }
    const name = nextTemplateName(this.#facts.cluster, owner, object.metadata.name, object.spec as JsonValue);
    const next = { ...object, metadata: { ...object.metadata, name } };
    this.all.push({ effect: 'rotate', object: next, before: trial.before, group });
    return name;
  }

  delete(object: KubeObject | undefined, group: string): void {
    if (object && !object.metadata.deletionTimestamp) this.all.push({ effect: 'delete', object, group });
  }

  /** The health check under this name, which may be one of a user. */
  ownHealthCheck(name: string): KubeObject | undefined {
    const { namespace = '' } = this.#facts.cluster.metadata;
    const check = this.#read.get('MachineHealthCheck', { namespace, name });
    if (check.state === 'unread') this.isPending = true;
    const object = found(check);
    return object?.metadata.labels?.[topologyLabels.owned] === undefined ? undefined : object;
  }

  healthCheck(desired: KubeObject | undefined, name: string, group: string): void {
    if (desired) this.object(desired, group, false);
    else this.delete(this.ownHealthCheck(name), group);
  }
}

const withTemplates = (object: KubeObject, bootstrap: string, infrastructure: string): KubeObject => {
  const spec = object.spec as { template: { spec: JsonObject } };
  const { bootstrap: before, infrastructureRef } = spec.template.spec as {
    bootstrap: { configRef: JsonObject };
    infrastructureRef: JsonObject;
  };
  const machine = {
    ...spec.template.spec,
    bootstrap: { configRef: { ...before.configRef, name: bootstrap } },
    infrastructureRef: { ...infrastructureRef, name: infrastructure },
  };
  return { ...object, spec: { ...spec, template: { ...spec.template, spec: machine } } };
};

const planDeployment = (planner: Planner, facts: Facts, one: DesiredDeployment): void => {
  if (one.stage === 'postponed') return;
  const group = `MachineDeployment ${one.topologyName}`;
  const bootstrap = planner.template(one.bootstrap, group, one.topologyName);
  const infrastructure = planner.template(one.infrastructure, group, one.topologyName);
  if (bootstrap === undefined || infrastructure === undefined) return;
  const object = withTemplates(one.object, bootstrap, infrastructure);
  if (!planner.object(object, group, facts.state.deployments.has(one.topologyName))) return;
  planner.healthCheck(one.healthCheck, object.metadata.name, group);
};

/** Its parts change in place. */
const planPool = (planner: Planner, facts: Facts, one: DesiredPool): void => {
  if (one.stage === 'postponed') return;
  const group = `MachinePool ${one.topologyName}`;
  const isNamed = facts.state.pools.has(one.topologyName);
  const parts = [one.bootstrap, one.infrastructure, one.object];
  parts.every((part) => planner.object(part, group, isNamed));
};

const unnamed = (workers: ReadonlyMap<string, { object: KubeObject }>, named: readonly { name: string }[] = []) =>
  [...workers].flatMap(([name, { object }]) => (named.some((one) => one.name === name) ? [] : [object]));

/** MachineDeployments and MachinePools that the topology does not name any more. */
const planRemovals = (planner: Planner, { topology, state }: Facts): void => {
  const { machineDeployments, machinePools } = topology.workers ?? {};
  const left = [...unnamed(state.deployments, machineDeployments), ...unnamed(state.pools, machinePools)];
  for (const object of [...left, ...state.surplus]) {
    const group = `${object.kind} ${object.metadata.name}`;
    if (object.kind === 'MachineDeployment') planner.delete(planner.ownHealthCheck(object.metadata.name), group);
    planner.delete(object, group);
  }
};

/** Undefined while something is unread. */
export const planChanges = (read: Reader, facts: Facts, desired: Desired): Changes | undefined => {
  const planner = new Planner(read, facts);
  const { infrastructureRef, controlPlaneRef } = facts.cluster.spec ?? {};
  const [infrastructure, controlPlane] = ['infrastructure', 'control plane'];
  planner.object(desired.infrastructure, infrastructure, infrastructureRef !== undefined);
  const template = desired.controlPlaneTemplate;
  const name = template && planner.template(template, controlPlane, '');
  if (!template || name !== undefined) {
    const object = name === undefined ? desired.controlPlane : desired.withTemplate(desired.controlPlane, name);
    if (planner.object(object, controlPlane, controlPlaneRef !== undefined))
      planner.healthCheck(desired.controlPlaneHealthCheck, object.metadata.name, controlPlane);
  }
  for (const one of desired.deployments) planDeployment(planner, facts, one);
  for (const one of desired.pools) planPool(planner, facts, one);
  planRemovals(planner, facts);
  return planner.isPending ? undefined : { all: planner.all, refused: planner.refused };
};
