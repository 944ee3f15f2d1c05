/** Workers with readiness gates, which a user sets and clears. */
import type { MachineDeployment } from '../../../../kinds/core/machine-deployment/index.ts';
import type { Condition } from '../../../../machinery/api/object.ts';
import { sleep } from '../../../../machinery/ports.ts';
import { pathOf } from '../../clients/client.ts';
import { deployment, type ScenarioContext } from '../context.ts';
import { changeInPlace, staying } from '../requests.ts';

const minute = 60_000;
const good = 'example.com/Admitted';
const bad = 'example.com/Suspected';
const gates = [{ conditionType: good }, { conditionType: bad, polarity: 'Negative' }];

const isIn = (conditions: readonly Condition[], type: string, status: string) =>
  conditions.some((one) => one.type === type && one.status === status);

type Verdicts = Readonly<Record<string, 'True' | 'False'>>;

/** Sets the conditions of all workers, including new ones, for as long as this runs. */
const say = async (context: ScenarioContext, verdicts: Verdicts) => {
  const { client, clock } = context;
  for (const { metadata } of staying(context)) {
    const path = `${pathOf('Machine')}/${metadata.name}/status`;
    const { code, body } = await client.request('GET', path);
    const { conditions = [] } = (body.status ?? {}) as { conditions?: Condition[] };
    const news = Object.entries(verdicts).filter(([type, status]) => !isIn(conditions, type, status));
    if (code !== 200 || news.length === 0) continue;
    const lastTransitionTime = `${new Date(clock.now()).toISOString().slice(0, 19)}Z`;
    const reported = news.map(([type, status]) => ({ type, status, reason: 'Said', message: '', lastTransitionTime }));
    const others = conditions.filter(({ type }) => !news.some(([name]) => name === type));
    // On a conflict the next iteration retries, so no other change is overwritten.
    await client.request('PUT', path, { ...body, status: { ...body.status!, conditions: [...others, ...reported] } });
  }
};

export const gateWorkers = async (context: ScenarioContext) => {
  const { clock, draw, settled, world } = context;
  await settled(60);
  await changeInPlace(context, { spec: { readinessGates: gates } });
  const object = world.mirror.get<MachineDeployment>('MachineDeployment', 'default', deployment(context));
  // changeInPlace makes no request while an earlier change is unobserved.
  if (!object?.spec?.template.spec.readinessGates) return;
  const keepSaying = async (ms: number, verdicts: Verdicts) => {
    for (const until = clock.now() + ms; clock.now() < until; await sleep(clock, minute)) await say(context, verdicts);
  };
  // At first the conditions are missing.
  if (draw.chance(0.5)) await sleep(clock, draw.spread(minute, 10 * minute));
  await keepSaying(draw.spread(minute, 20 * minute), { [good]: 'True', [bad]: 'False' });
  const doubts: Verdicts = draw.chance(0.5) ? { [bad]: 'True' } : { [good]: 'False' };
  await keepSaying(draw.spread(minute, 20 * minute), doubts);
  if (draw.chance(0.5)) await keepSaying(5 * minute, { [good]: 'True', [bad]: 'False' });
  await changeInPlace(context, { spec: { readinessGates: null } });
  // changeInPlace may have made no request, so repeat it.
  for (let looks = 0; looks < 8 * 60; looks++) {
    const { spec } = world.mirror.get<MachineDeployment>('MachineDeployment', 'default', deployment(context)) ?? {};
    if (!spec?.template.spec.readinessGates) return;
    await context.client.patch('MachineDeployment', deployment(context), {
      spec: { template: { spec: { readinessGates: null } } },
    });
    await sleep(clock, minute);
  }
};
