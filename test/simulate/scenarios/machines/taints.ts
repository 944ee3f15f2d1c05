/** Taints of workers, permanent or only at initialization. */
import type { Machine } from '../../../../kinds/core/machine/index.ts';
import type { MachineDeployment } from '../../../../kinds/core/machine-deployment/index.ts';
import type { KubeObject } from '../../../../machinery/api/object.ts';
import { sleep } from '../../../../machinery/ports.ts';
import { Violation } from '../../invariants/rule.ts';
import { deployment, type ScenarioContext } from '../context.ts';
import { comes } from '../progress.ts';
import { changeInPlace, staying } from '../requests.ts';
import { within } from '../workload/kubeconfig.ts';

const minute = 60_000;

type Taint = { key: string; value?: string; effect: string };

const taintsOf = async ({ world }: ScenarioContext, name: string): Promise<Taint[]> => {
  for (const cluster of world.guests.clusters.all())
    for (const { metadata, spec } of await cluster.list<KubeObject<{ taints?: Taint[] }>>('nodes'))
      if (metadata.name === name) return spec?.taints ?? [];
  return [];
};
const isTainted = async (context: ScenarioContext, name: string, key: string): Promise<boolean> =>
  (await taintsOf(context, name)).some((one) => one.key === key);

/** A changed taint propagates to all workers. */
const changeTaint = async (context: ScenarioContext, taint: Taint & { propagation: string }) => {
  const { settled, world } = context;
  await settled(60);
  await changeInPlace(context, { spec: { taints: [taint] } });
  const { key, value } = taint;
  const { spec } = world.mirror.get<MachineDeployment>('MachineDeployment', 'default', deployment(context)) ?? {};
  // changeInPlace makes no request while an earlier change is unobserved.
  if (spec?.template.spec.taints?.find((one) => one.key === key)?.value !== value) return;
  const isTainted = async ({ status }: Machine) =>
    (await taintsOf(context, status?.nodeRef?.name ?? '')).some((one) => one.key === key && one.value === value);
  const isChanged = async () => (await Promise.all(staying(context).map(isTainted))).every(Boolean);
  await comes(context, `nodes with ${key}=${value}`, isChanged, 'RemoteConnectionProbe');
};

/** A removed taint disappears from all workers. */
const forgetTaint = async (context: ScenarioContext, key: string) => {
  const { settled, world } = context;
  await settled(60);
  await changeInPlace(context, { spec: { taints: null } });
  const { spec } = world.mirror.get<MachineDeployment>('MachineDeployment', 'default', deployment(context)) ?? {};
  // changeInPlace makes no request while an earlier change is unobserved.
  if (!spec || spec.template.spec.taints) return;
  const isGone = async () => {
    const nodes = staying(context).map(({ status }) => isTainted(context, status?.nodeRef?.name ?? '', key));
    return !(await Promise.all(nodes)).some(Boolean);
  };
  await comes(context, `nodes without ${key}, which was removed,`, isGone, 'RemoteConnectionProbe');
};

/**
 * A user may remove an initialization taint from a Node. Capstan does not restore it, but the user
 * may.
 */
const takeTaintOff = async (context: ScenarioContext, key: string) => {
  const { clock, draw } = context;
  for (const { metadata, status } of staying(context)) {
    const name = status?.nodeRef?.name ?? '';
    const taint = (await taintsOf(context, name)).find((one) => one.key === key);
    if (!taint) continue;
    const write = (taints: Taint[]) =>
      // A Node that is gone has no taints.
      within(context, 'patch', { apiVersion: 'v1', kind: 'Node', name, patch: { spec: { taints } } }).catch(() => {});
    await write((await taintsOf(context, name)).filter((one) => one.key !== key));
    if (await isTainted(context, name, key)) return;
    await sleep(clock, draw.spread(minute, 20 * minute));
    if (await isTainted(context, name, key))
      throw new Violation('taints', `${key}, which a user removed, is back on the node of ${metadata.name}`);
    return write([...(await taintsOf(context, name)), taint]);
  }
};

export const taintWorkers = async (context: ScenarioContext) => {
  const { client, draw, settled, desired } = context;
  const value = draw.pick(['one', 'other']);
  const propagation = draw.pick(['Always', 'OnInitialization']);
  // An initialization taint stays on a Node when the template drops it.
  const key = propagation === 'Always' ? 'example.com/only' : 'example.com/first';
  const taint = { key, value, effect: 'PreferNoSchedule' };
  await changeInPlace(context, { spec: { taints: draw.chance(0.7) ? [{ ...taint, propagation }] : null } });
  if (propagation === 'Always') {
    if (draw.chance(0.6)) await changeTaint(context, { ...taint, value: `not-${value}`, propagation });
    if (draw.chance(0.6)) await forgetTaint(context, taint.key);
    return;
  }
  // New workers have the taint from the start.
  desired.workers += 1;
  await client.scale('MachineDeployment', deployment(context), desired.workers);
  await settled(60);
  await takeTaintOff(context, taint.key);
};
