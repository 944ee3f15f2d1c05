/** Tasks outlast an outage of AWS; what is refused ends on hold. */
import { describe, expect, it } from 'vitest';
import { retry, unavailable } from '../../stepfunctions/complete.ts';
import { definitions } from '../../stepfunctions/index.ts';
import { play } from './play.ts';

const doubling = [2, 4, 8, 16, 32, 64, 128, 256];
const twelveHours = [...doubling, ...Array.from({ length: 142 }, () => 300)];
const rest = 'Network LoadBalancer FirstControlPlaneMachine ControlPlane Workers AddOns Available Succeeded Done';

const failing = (error: string, pauses: readonly number[]): string =>
  [`Preflight*${error}`, ...pauses.flatMap((pause) => [`+${pause}`, `Preflight*${error}`])].join(' ');

describe('a task', () => {
  it.each(Object.entries(definitions))('of %s is retried as every other', (_, { States }) => {
    const tasks = Object.values(States).filter(({ Type }) => Type === 'Task');
    for (const task of tasks) expect(task).toHaveProperty('Retry', retry);
  });

  it.each(unavailable)('goes on after three hours of %s', async (error) => {
    const pauses = twelveHours.slice(0, doubling.length + 36);
    const story = `${failing(error, pauses)} +300 Preflight ${rest} → SUCCEEDED`;
    expect(await play(definitions['create-cluster'], story)).toBe(story);
  });

  it('is held after twelve hours', async () => {
    const story = `${failing('Throttled', twelveHours)} Held(Throttled) OnHold → FAILED Held`;
    expect(await play(definitions['create-cluster'], story)).toBe(story);
  });

  it.each(['ServiceError', 'Lambda.Unknown', 'TypeError'])('is held after minutes of %s', async (error) => {
    const story = `${failing(error, doubling)} Held(${error}) OnHold → FAILED Held`;
    expect(await play(definitions['create-cluster'], story)).toBe(story);
  });
});
