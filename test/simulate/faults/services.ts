/**
 * Faults of Step Functions, SQS, KMS, Systems Manager, identity providers, event source mappings
 * and tables.
 */

import type { Fetch } from '../../../adapters/aws/identity/index.ts';
import { ServiceError } from '../../../adapters/aws/service/error.ts';
import type { Switch } from '../../../adapters/aws/timers/awake.ts';
import type { Misbehaviour } from '../../../adapters/memory/misbehaving-table.ts';
import { partitionThroughput, type Throughput } from '../../../adapters/memory/throughput.ts';
import type { Marker } from '../../../kinds/ports/installation.ts';
import type { LocalWorkflows } from '../../../local/workflow/index.ts';
import { type Clock, type Keys, type Queue, sleep, type Workflows } from '../../../machinery/ports.ts';
import type { FaultName, Faults } from './index.ts';

const betweenStops = 5 * 60_000;

/** Calls that sometimes fail without effect, and sometimes take effect but lose the answer. */
const unreliable =
  (faults: Faults, service: string, failed: FaultName, lost: FaultName) =>
  async <T>(what: string, run: () => Promise<T>): Promise<T> => {
    if (faults.strikes(failed, what)) throw new ServiceError('ThrottlingException', `${service} has no capacity`);
    const answer = await run();
    if (faults.strikes(lost, what)) throw new ServiceError('Unreachable', `the answer of ${service} is lost`);
    return answer;
  };

export const badWorkflows = (inner: Workflows, faults: Faults): Workflows => {
  const around = unreliable(faults, 'the workflow service', 'workflow.failed', 'workflow.lost');
  return {
    start: (execution) =>
      around('start', async () => {
        await inner.start(execution);
        if (faults.strikes('workflow.repeated')) await inner.start(execution);
      }),
    describe: (execution) => around('describe', () => inner.describe(execution)),
    stop: (execution) => around('stop', () => inner.stop(execution)),
    succeed: (token, output) => around('succeed', () => inner.succeed(token, output)),
    fail: (token, error, cause) => around('fail', () => inner.fail(token, error, cause)),
  };
};

export const badQueue = (inner: Queue, faults: Faults): Queue => {
  const around = unreliable(faults, 'the queue', 'queue.failed', 'queue.unanswered');
  return { send: (message, delaySeconds) => around('send', () => inner.send(message, delaySeconds)) };
};

type Hide = (receipt: string, seconds: number) => Promise<void>;
export const badHide = (inner: Hide, faults: Faults): Hide => {
  const around = unreliable(faults, 'the queue', 'queue.failed', 'queue.unanswered');
  return (receipt, seconds) => around('hide', () => inner(receipt, seconds));
};

export const badMarker = (inner: Marker, faults: Faults): Marker => {
  const around = unreliable(faults, 'the parameter', 'marker.failed', 'marker.lost');
  return {
    read: () => around('read', inner.read),
    furthest: () => around('furthest', inner.furthest),
    write: (mark) => around('write', () => inner.write(mark)),
  };
};

export const badIdentities =
  (inner: Fetch, faults: Faults): Fetch =>
  async (url, init) => {
    if (faults.strikes('identity.failed', new URL(url).host)) throw new TypeError('fetch failed');
    return inner(url, init);
  };

export const badSwitch = (inner: Switch, faults: Faults): Switch => {
  const around = unreliable(faults, 'event source mappings and schedules', 'switch.failed', 'switch.lost');
  return {
    enable: () => around('enable', inner.enable),
    disable: () => around('disable', inner.disable),
    keep: (enabled) => around('keep', () => inner.keep(enabled)),
  };
};

export interface StopsOptions {
  clock: Clock;
  faults: Faults;
  executions: LocalWorkflows;
  isOver: () => boolean;
}

/** Stops a running execution from time to time, as a user may. */
export const badStops = async ({ clock, faults, executions, isOver }: StopsOptions): Promise<void> => {
  if (faults.rate('workflow.stopped') === 0) return;
  while (!isOver()) {
    await sleep(clock, betweenStops);
    if (!faults.strikes('workflow.stopped')) continue;
    const running = (await executions.list()).filter(({ status }) => status === 'RUNNING');
    if (running.length === 0) continue;
    const { definition, name } = faults.dice('workflow.stopped').pick(running);
    await executions.stop({ definition, name, error: 'Stopped', cause: 'a user stopped it' });
  }
};

export const badKeys = (inner: Keys, faults: Faults): Keys => {
  const maybe = () => {
    if (faults.strikes('keys.throttled')) throw new ServiceError('ThrottlingException', 'the keys have no capacity');
  };
  return {
    dataKey: async (context) => {
      maybe();
      return inner.dataKey(context);
    },
    unwrap: async (wrapped, context) => {
      maybe();
      return inner.unwrap(wrapped, context);
    },
  };
};

const manyItems = 1_000_000;
/**
 * The throughput of a hot partition key, in units a second: low enough that one cluster exceeds it.
 */
const hot: Throughput = { read: 800, write: 80 };

/** The misbehaviour of a table at the current fault rates. */
export const badManners = (faults: Faults): Misbehaviour => ({
  get throttled() {
    return faults.rate('table.throttled');
  },
  get unknown() {
    return faults.rate('table.unknown');
  },
  get split() {
    return faults.rate('table.split');
  },
  get page() {
    return faults.rate('table.paged') > 0 ? 3 : manyItems;
  },
  get throughput() {
    const rate = faults.rate('table.hot');
    return rate > 0 ? { read: hot.read * rate, write: hot.write * rate } : partitionThroughput;
  },
  splitFor: 1500,
  delayedFor: 20_000,
});
