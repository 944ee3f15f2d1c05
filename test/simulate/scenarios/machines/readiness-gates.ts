/** Workers with readiness gates, which somebody else sets and clears. */
import type { MachineDeployment } from '../../../../kinds/core/machine-deployment/index.ts';
import type { Condition } from '../../../../machinery/api/object.ts';
import { sleep } from '../../../../machinery/ports.ts';
import { pathOf } from '../../clients/client.ts';
import { deployment, type Scene } from '../context.ts';
import { changeInPlace, staying } from '../requests.ts';

const minute = 60_000;
const good = 'example.com/Admitted';
const bad = 'example.com/Suspected';
const gates = [{ conditionType: good }, { conditionType: bad, polarity: 'Negative' }];

const isIn = (conditions: readonly Condition[], type: string, status: string) =>
  conditions.some((one) => one.type === type && one.status === status);

type Verdicts = Readonly<Record<string, 'True' | 'False'>>;

/** What is to be so of each worker that there is; of those that come, too, as long as somebody looks. */
const say = async (scene: Scene, verdicts: Verdicts) => {
  const { client, clock } = scene;
  for (const { metadata } of staying(scene)) {
    const path = `${pathOf('Machine')}/${metadata.name}/status`;
    const { code, body } = await client.request('GET', path);
    const { conditions = [] } = (body.status ?? {}) as { conditions?: Condition[] };
    const news = Object.entries(verdicts).filter(([type, status]) => !isIn(conditions, type, status));
    if (code !== 200 || news.length === 0) continue;
    const lastTransitionTime = `${new Date(clock.now()).toISOString().slice(0, 19)}Z`;
    const told = news.map(([type, status]) => ({ type, status, reason: 'Said', message: '', lastTransitionTime }));
    const others = conditions.filter(({ type }) => !news.some(([name]) => name === type));
    // Whoever else says something of it meanwhile is not written over: it is said at the next look.
    await client.request('PUT', path, { ...body, status: { ...body.status!, conditions: [...others, ...told] } });
  }
};

export const gateWorkers = async (scene: Scene) => {
  const { clock, draw, settled, world } = scene;
  await settled(60);
  await changeInPlace(scene, { spec: { readinessGates: gates } });
  const object = world.mirror.get<MachineDeployment>('MachineDeployment', 'default', deployment(scene));
  // It may have been too soon to ask.
  if (!object?.spec?.template.spec.readinessGates) return;
  const keepSaying = async (ms: number, verdicts: Verdicts) => {
    for (const until = clock.now() + ms; clock.now() < until; await sleep(clock, minute)) await say(scene, verdicts);
  };
  // Nothing is said of them at first.
  if (draw.chance(0.5)) await sleep(clock, draw.spread(minute, 10 * minute));
  await keepSaying(draw.spread(minute, 20 * minute), { [good]: 'True', [bad]: 'False' });
  const doubts: Verdicts = draw.chance(0.5) ? { [bad]: 'True' } : { [good]: 'False' };
  await keepSaying(draw.spread(minute, 20 * minute), doubts);
  if (draw.chance(0.5)) await keepSaying(5 * minute, { [good]: 'True', [bad]: 'False' });
  await changeInPlace(scene, { spec: { readinessGates: null } });
  // Whoever had to wait for what was wanted before is asked again.
  for (let looks = 0; looks < 8 * 60; looks++) {
    const { spec } = world.mirror.get<MachineDeployment>('MachineDeployment', 'default', deployment(scene)) ?? {};
    if (!spec?.template.spec.readinessGates) return;
    await scene.client.patch('MachineDeployment', deployment(scene), {
      spec: { template: { spec: { readinessGates: null } } },
    });
    await sleep(clock, minute);
  }
};
