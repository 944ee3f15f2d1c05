/** Rounds of health checks: asks the guests at an interval, and applies the thresholds. */
import { type AccountState, scaled } from './state.ts';

/** What a load balancer forwards to. */
export interface Target {
  /** An instance id or an address. */
  id: string;
  port: number;
  /** The result of the last consistent health checks; `initial` before. */
  health: 'initial' | 'healthy' | 'unhealthy';
  registered: number;
  /** When a deregistered target disappears. */
  drained?: number;
}

export interface Checks {
  /** The record that has the targets. */
  of: object;
  /** Seconds. */
  interval: number;
  healthy: number;
  unhealthy: number;
  targets: readonly Target[];
  /** The result of one check; undefined when requests cannot reach the target. */
  ask(target: Target): boolean | undefined;
  /** Writes the record after a change of health. */
  save(): void;
}

/** Consecutive equal results; lost at a restart, like those of a load balancer node. */
const streaks = new WeakMap<Target, { well: boolean; count: number }>();
const verdictOn = (well: boolean) => (well ? 'healthy' : 'unhealthy');

/** Whether further rounds change nothing, until the target's response changes. */
const isSteady = ({ ask }: Checks, target: Target): boolean => {
  const well = ask(target);
  return well === undefined || (streaks.get(target)?.well === well && target.health === verdictOn(well));
};

const probe = ({ ask, healthy, unhealthy }: Checks, target: Target): boolean => {
  const well = ask(target);
  if (well === undefined) return false;
  const last = streaks.get(target);
  const count = last?.well === well ? last.count + 1 : 1;
  streaks.set(target, { well, count });
  const verdict = count >= (well ? healthy : unhealthy) ? verdictOn(well) : target.health;
  if (verdict === target.health) return false;
  target.health = verdict;
  return true;
};

/** When each record was last checked, so that rounds keep their rhythm after a pause. */
const beats = new WeakMap<object, number>();

const nextRound = (account: AccountState, { of, interval: seconds }: Checks): number => {
  const now = account.clock.now();
  const interval = scaled(account, seconds * 1000);
  const last = beats.get(of) ?? now;
  beats.set(of, last);
  return last + Math.max(1, Math.ceil((now - last) / interval)) * interval;
};

type Find = () => Checks | undefined;

/** One round of checks; schedules the next while it may change something. */
const round = (account: AccountState, timer: string, find: Find): void => {
  const checks = find();
  if (!checks) return;
  beats.set(checks.of, account.clock.now());
  const changes = checks.targets.map((target) => probe(checks, target)).filter((changed) => changed);
  if (changes.length > 0) checks.save();
  followChecks(account, timer, find);
};

/**
 * Starts the rounds of checks of a record that has targets, or stops them. Called whenever its
 * targets or a target's response change, and after a restart.
 */
export const followChecks = (account: AccountState, timer: string, find: Find): void => {
  const checks = find();
  if (!checks || checks.targets.length === 0) {
    account.timers.cancel(timer);
    if (checks) beats.delete(checks.of);
  } else if (!account.timers.armed(timer) && !checks.targets.every((target) => isSteady(checks, target)))
    account.timers.at(timer, nextRound(account, checks), () => round(account, timer, find));
};
