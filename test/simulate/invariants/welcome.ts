/** Whoever may still join finds that its token is good: machines come up whenever their hosts do. */
import type { KubeadmConfig } from '../../../kinds/bootstrap-kubeadm/kubeadm-config/index.ts';
import type { Machine } from '../../../kinds/core/machine/index.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { type Invariant, type Setting, Violation } from './invariant.ts';
import { clusterOf, isGoing, isWorkedOn, verdictOf } from './whose.ts';

const minute = 60_000;
const apart = 2 * minute;
/** It is renewed long before it ends; a host takes some minutes to come up. */
const least = 5 * minute;

type Data = { data?: Record<string, string> };

export const welcome = ({ world, isRuined }: Setting): Invariant => {
  const { clock, guests, mirror } = world;
  /** Of Machines that were worked on at the last look, too: who has just been let go on has a moment. */
  let before = new Set<string>();
  const look = async () => {
    const waiting = new Map<string, string>();
    for (const config of mirror.all<KubeadmConfig>('KubeadmConfig')) {
      const { token } = config.spec?.joinConfiguration?.discovery?.bootstrapToken ?? {};
      const { name = '' } = config.metadata.ownerReferences?.find(({ kind }) => kind === 'Machine') ?? {};
      const machine = mirror.get<Machine>('Machine', config.metadata.namespace ?? '', name);
      if (!token || !config.status?.dataSecretName || !machine || isGoing(machine) || isGoing(config)) continue;
      // Nobody can renew it in a cluster that does not answer.
      const isAnswered = verdictOf(clusterOf(mirror, machine), 'RemoteConnectionProbe') === 'True';
      const areWorkedOn = isWorkedOn(mirror, machine) && isWorkedOn(mirror, config);
      if (!machine.status?.nodeRef && isAnswered && areWorkedOn) waiting.set(name, token);
    }
    const known = before;
    before = new Set(waiting.keys());
    const clusters = guests.clusters.all();
    // Of several nobody knows which is which.
    if (clusters.length !== 1) return;
    for (const [name, token] of waiting) {
      const [id = ''] = token.split('.');
      const secret = (await clusters[0]!.get('secrets', 'kube-system', `bootstrap-token-${id}`)) as
        | (KubeObject & Data)
        | undefined;
      if (!secret || !known.has(name)) continue;
      const left = Date.parse(Buffer.from(secret.data?.expiration ?? '', 'base64').toString()) - clock.now();
      if (left < least)
        throw new Violation('welcome', `${name} may join for ${Math.round(left / 1000)} s more, and has not come yet`);
    }
  };
  const tick = () => {
    clock.after(apart, tick);
    if (world.isDisturbed || isRuined?.()) return before.clear();
    void look().catch(mirror.breaks);
  };
  clock.after(apart, tick);
  return {};
};
