/** A mixed load by the time of day: Deployments that follow the hours, steady ones, and jobs. */
import type { PodShape } from '../../kinds/autoscaling/plan/index.ts';
import type { Random } from '../../machinery/ports.ts';

const GiB = 2 ** 30;
const minute = 60_000;
const hour = 60 * minute;

export interface Workload {
  name: string;
  shape: PodShape;
  replicas(at: number): number;
}

const pick = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random.next() * from.length)]!;

/** One in the afternoon, zero in the night. */
const byDay = (at: number, shift: number): number => (1 - Math.cos(((at + shift) / hour / 24) * 2 * Math.PI)) / 2;

export const workloads = (random: Random, count: number): Workload[] =>
  Array.from({ length: count }, (_, index): Workload => {
    const name = `app-${index}`;
    const cpu = pick(random, [100, 200, 250, 500, 900, 1500]);
    const memory = pick(random, [0.25, 0.5, 1, 2]) * GiB * (cpu / 500 + 0.5);
    const labels = { app: name };
    const isSpread = random.next() < 0.15;
    const labelSelector = { matchLabels: labels };
    const shape: PodShape = {
      labels,
      requests: { cpu, memory },
      ...(isSpread && { antiAffinity: [{ topologyKey: 'kubernetes.io/hostname', labelSelector }] }),
    };
    const [base, swing, shift] = [1 + Math.floor(random.next() * 4), random.next() * 8, random.next() * 2 * hour];
    const kind = random.next();
    const most = isSpread ? 4 : 100;
    if (kind < 0.4) return { name, shape, replicas: () => Math.min(most, base + 1) };
    if (kind < 0.8)
      return { name, shape, replicas: (at) => Math.min(most, base + Math.round(swing * byDay(at, shift))) };
    // A job that runs for some minutes an hour or less often.
    const [every, lasts] = [(1 + Math.floor(random.next() * 4)) * hour, (10 + random.next() * 30) * minute];
    return { name, shape, replicas: (at) => ((at + shift) % every < lasts ? Math.min(most, base * 2) : 0) };
  });
