import type { KubeadmConfig } from '../../../../kinds/bootstrap-kubeadm/kubeadm-config/index.ts';
import type { Machine } from '../../../../kinds/core/machine/index.ts';
import type { AWSMachine } from '../../../../kinds/infrastructure-aws/aws-machine/index.ts';
import { launchOf } from '../../../../kinds/infrastructure-aws/aws-machine/launch.ts';
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { clusterOf, isGoing, isWorkedOn, joinTokenOf, verdictOf } from '../relations.ts';
import type { Rule, Rules } from '../rule.ts';
import { tagOf } from '../tags.ts';
import { userData } from './user-data.ts';

/**
 * The Secret fields with which kubeadm lets a token's bearer request a certificate and read the
 * cluster info.
 */
const wanted = {
  'auth-extra-groups': 'system:bootstrappers:kubeadm:default-node-token',
  'usage-bootstrap-authentication': 'true',
  'usage-bootstrap-signing': 'true',
} as const;

const tokenUsage: Rule = ({ world: { guests, mirror } }, broken) => {
  const look = async (token: string) => {
    const [id = '', secret = ''] = token.split('.');
    for (const cluster of guests.clusters.all()) {
      const found = await cluster.get('secrets', 'kube-system', `bootstrap-token-${id}`);
      const { data = {}, type } = (found ?? {}) as KubeObject & { data?: Record<string, string>; type?: string };
      const textOf = (key: string) => Buffer.from(data[key] ?? '', 'base64').toString();
      // A cluster of the same name has another token secret.
      if (!found || textOf('token-secret') !== secret) continue;
      if (type !== 'bootstrap.kubernetes.io/token') throw broken(`${id} is a Secret of type ${type}`);
      for (const [key, value] of Object.entries(wanted))
        if (textOf(key) !== value) throw broken(`${key} of ${id} is ${textOf(key)}, not ${value}`);
    }
  };
  return {
    onCommit: ({ object, before, writer }) => {
      if (object?.kind !== 'KubeadmConfig' || writer !== 'kubeadm-config') return;
      const [was, is] = [before, object].map((one) => (one as KubeadmConfig | undefined)?.status?.dataSecretName);
      const token = joinTokenOf(mirror, object as KubeadmConfig);
      if (token && is && !was) void look(token).catch(mirror.breaks);
    },
  };
};

const minute = 60_000;
const longest = 15 * minute;
const apart = 3 * minute;
/** Transient failures are retried. */
const limits = { undisturbed: 3 * minute, disturbed: 60 * minute };
const machineName = 'MachineName';
const machineUid = 'capstan.dev/machine-uid';
const stores = new Set(['secret', 'parameter']);

type Launch = { ClientToken?: string; TagSpecifications?: { Tags: { Key: string; Value: string }[] }[] };

const bootDataLifetime: Rule = ({ world, isRuined }, broken) => {
  const { account, clock, mirror } = world;
  /** By the uid of an AWSMachine: when its boot data must be gone. */
  const over = new Map<string, number>();
  const look = () => {
    const limit = world.isDisturbed ? limits.disturbed : limits.undisturbed;
    for (const { type, id, tags } of account.list()) {
      const since = stores.has(type) ? over.get(tags[machineUid] ?? '') : undefined;
      if (since === undefined || clock.now() < since + limit) continue;
      const [namespace = '', name = ''] = (tags[machineName] ?? '').split('/');
      const machine = mirror.get<AWSMachine>('AWSMachine', namespace, name);
      if (!machine || machine.metadata.uid !== tags[machineUid] || isGoing(machine)) continue;
      if (!isWorkedOn(mirror, machine)) over.set(tags[machineUid]!, clock.now());
      else throw broken(`boot data ${id} of ${name} still exists`);
    }
  };
  const tick = () => {
    clock.after(apart, tick);
    // While the world is held up, no controller deletes the data: start over.
    if (world.isHeldUp || isRuined?.()) return over.clear();
    if (over.size === 0) return;
    try {
      look();
    } catch (error) {
      mirror.breaks(error);
    }
  };
  clock.after(apart, tick);
  return {
    onCall: ({ action, input, happened }) => {
      if (action !== 'RunInstances' || !happened) return;
      const uid = tagOf((input as Launch).TagSpecifications?.[0]?.Tags, machineUid);
      const isLaunched = ({ metadata }: AWSMachine) => launchOf(metadata)?.token === (input as Launch).ClientToken;
      const together = uid ? [] : mirror.all<AWSMachine>('AWSMachine').filter(isLaunched);
      for (const one of uid ? [uid] : together.map(({ metadata }) => metadata.uid!))
        over.set(one, clock.now() + longest);
    },
  };
};

const lookEvery = 2 * minute;
/** The controller renews the token long before it expires, and a host boots within minutes. */
const least = 5 * minute;

type Data = { data?: Record<string, string> };

const tokenValidity: Rule = ({ world, isRuined }, broken) => {
  const { clock, guests, mirror } = world;
  /**
   * Machines that waited at the previous check too. A Machine that was just unpaused gets one
   * interval of grace.
   */
  let before = new Set<string>();
  const look = async () => {
    const waiting = new Map<string, string>();
    for (const config of mirror.all<KubeadmConfig>('KubeadmConfig')) {
      const token = joinTokenOf(mirror, config);
      const { name = '' } = config.metadata.ownerReferences?.find(({ kind }) => kind === 'Machine') ?? {};
      const machine = mirror.get<Machine>('Machine', config.metadata.namespace ?? '', name);
      if (!token || !config.status?.dataSecretName || !machine || isGoing(machine) || isGoing(config)) continue;
      // The token cannot be renewed in a cluster that does not answer.
      const isAnswered = verdictOf(clusterOf(mirror, machine), 'RemoteConnectionProbe') === 'True';
      const areWorkedOn = isWorkedOn(mirror, machine) && isWorkedOn(mirror, config);
      if (!machine.status?.nodeRef && isAnswered && areWorkedOn) waiting.set(name, token);
    }
    const known = before;
    before = new Set(waiting.keys());
    const clusters = guests.clusters.all();
    // With several guests, the one of this Cluster cannot be told apart.
    if (clusters.length !== 1) return;
    for (const [name, token] of waiting) {
      const [id = ''] = token.split('.');
      const secret = (await clusters[0]!.get('secrets', 'kube-system', `bootstrap-token-${id}`)) as
        | (KubeObject & Data)
        | undefined;
      if (!secret || !known.has(name)) continue;
      const left = Date.parse(Buffer.from(secret.data?.expiration ?? '', 'base64').toString()) - clock.now();
      if (left < least)
        throw broken(`the token of ${name}, which has not joined, expires in ${Math.round(left / 1000)} s`);
    }
  };
  const tick = () => {
    clock.after(lookEvery, tick);
    if (world.isDisturbed || isRuined?.()) return before.clear();
    void look().catch(mirror.breaks);
  };
  clock.after(lookEvery, tick);
  return {};
};

export const bootstrapRules: Rules = {
  'a bootstrap token allows joining and nothing else': tokenUsage,
  'boot data is deleted a quarter of an hour after the launch': bootDataLifetime,
  'a machine that may still join has a valid token': tokenValidity,
  'user data holds what the KubeadmConfig asks for, and no key that it should not': userData,
};
