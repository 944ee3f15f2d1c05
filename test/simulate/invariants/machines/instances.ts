import type { AWSCluster } from '../../../../kinds/infrastructure-aws/aws-cluster/index.ts';
import type { AWSMachine } from '../../../../kinds/infrastructure-aws/aws-machine/index.ts';
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { isMoved } from '../deletion.ts';
import { pausedBy } from '../relations.ts';
import type { Rule } from '../rule.ts';

/**
 * Whether a user removed the finalizer of a paused AWSMachine, which leaves the instance running.
 */
const isGivenUp = (machine: KubeObject | undefined, writer: string | undefined) =>
  writer === undefined && machine?.metadata.annotations?.[pausedBy] !== undefined;
const isLive = (state: string) => state === 'pending' || state === 'running' || state === 'stopped';

export const instances: Rule = ({ world, has }, broken) => {
  const { account, mirror } = world;
  /** The request of each client token. */
  const asked = new Map<string, string>();
  /**
   * The owner of each instance by its id, as the launch tagged it. A user may change the tags
   * later.
   */
  const owners = new Map<string, string>();
  const ours = () =>
    account
      .list()
      .filter(({ type }) => type === 'instance')
      .filter(({ id, tags }) => owners.has(id) || tags['capstan.dev/installation'] === 'here');

  /** Client tokens of launches that failed. */
  const refused = new Set<string>();
  /**
   * Duplicate instances that no controller can prevent: a frozen worker repeated a failed launch
   * after another launch replaced it. The controller terminates them later.
   */
  const excused = new Set<string>();
  const expectOne = (isRepeated: boolean) => {
    const byOwner = new Map<string, string>();
    for (const { id, tags, state } of ours()) {
      if (!isLive(state) || excused.has(id)) continue;
      // The instances of one call are tagged for their machines after it.
      if (!owners.has(id) && tags.MachineName === undefined && tags['capstan.dev/launched-by'] !== undefined) continue;
      const owner = owners.get(id) ?? `${tags['capstan.dev/cluster-uid']} ${tags.MachineName}`;
      owners.set(id, owner);
      const other = byOwner.get(owner);
      if (other && !isRepeated) throw broken(`${owner} has ${other} and ${id}`);
      if (other) excused.add(id);
      byOwner.set(owner, id);
    }
  };

  return {
    onCommit: ({ type, event, namespace, name, before, writer }) => {
      if (type !== 'awsmachines.infrastructure.cluster.x-k8s.io' || event !== 'DELETED' || isMoved(before)) return;
      if (isGivenUp(before, writer)) return;
      // An instance that shuts down may still block the next one.
      const isLeft = (state: string) => isLive(state) || (writer === 'aws-machine' && state === 'shutting-down');
      const left = ours().find(({ tags, state }) => tags.MachineName === `${namespace}/${name}` && isLeft(state));
      if (left) throw broken(`${namespace}/${name} is gone, but its instance ${left.id} is ${left.state}`);
    },
    onCall: ({ action, input, happened }) => {
      if (action !== 'RunInstances') return;
      const { ClientToken, ...request } = input as { ClientToken?: string };
      if (!ClientToken) throw broken('a launch without a client token');
      const text = JSON.stringify(request);
      if (asked.has(ClientToken) && asked.get(ClientToken) !== text)
        throw broken(`${ClientToken} is reused for a different request`);
      asked.set(ClientToken, text);
      if (!happened) refused.add(ClientToken);
      else expectOne(refused.has(ClientToken) && (has('worker.frozen') || has('worker.late')));
    },
    atEnd: () => {
      const known = new Set([
        ...mirror.all<AWSMachine>('AWSMachine').map(({ spec }) => spec?.instanceID),
        ...mirror.all<AWSCluster>('AWSCluster').map(({ status }) => status?.bastion?.id),
      ]);
      for (const { id, state, tags } of ours())
        if (isLive(state) && !known.has(id)) throw broken(`${id} of ${tags.MachineName} has no owner`);
    },
  };
};
