/**
 * A test environment around an account: a virtual clock, and guests that record what happens to
 * them.
 */
import { seededRandom } from '../../adapters/memory/random.ts';
import { memoryStorage } from '../../adapters/memory/storage.ts';
import { virtualClock } from '../../adapters/memory/virtual-clock.ts';
import { type CloudAction, CloudError, type CloudInput, type CloudOutput } from '../../kinds/ports/cloud/index.ts';
import { inputs } from '../../test/contract/cloud.inputs.ts';
import type { GuestInstance, HostedListener, Storage } from '../ports.ts';
import { type Account, type BehaviourOptions, createAccount, wellBehaved } from './index.ts';

export const region = 'us-east-1';

interface WorldOptions {
  behaviour?: BehaviourOptions;
  seed?: number;
  speed?: number;
}

export const openWorld = ({ behaviour = {}, seed = 1, speed = 1 }: WorldOptions = {}) => {
  const clock = virtualClock(Date.UTC(2026, 0, 1));
  const storage = memoryStorage(clock);
  const recorded = {
    booted: [] as GuestInstance[],
    halted: [] as string[],
    forgotten: [] as string[],
    listening: new Map<string, HostedListener>(),
    events: [] as string[],
    /** Of groups: type and instance. */
    groupEvents: [] as string[],
    asked: 0,
  };
  const answering = new Set<string>();
  let changed: (instanceId: string) => void = () => {};
  let lastPort = 30_000;
  const start = (kept: Storage, draw: number): Account =>
    createAccount({
      clock,
      random: seededRandom(draw),
      storage: kept,
      network: { listen: () => {}, close: () => {}, reserve: () => ++lastPort },
      guests: {
        boot: (guest) => recorded.booted.push(guest),
        halt: (id) => recorded.halted.push(id),
        forget: (id) => recorded.forgotten.push(id),
        answers: (id) => {
          recorded.asked++;
          return answering.has(id);
        },
        console: (id) => (recorded.booted.some(({ instanceId }) => instanceId === id) ? `${id} boots\n` : ''),
        onChange: (listen) => {
          changed = listen;
        },
        listen: (listener) => recorded.listening.set(listener.listenerArn, listener),
        close: (arn) => recorded.listening.delete(arn),
      },
      speed,
      behaviour: { ...wellBehaved, ...behaviour },
      onInstanceChange: ({ instanceId, state, notice }) =>
        recorded.events.push(`${instanceId} ${state ?? notice?.reason}`),
      onGroupChange: ({ type, detail }) =>
        recorded.groupEvents.push([type, detail.EC2InstanceId].filter(Boolean).join(' ')),
    });

  let account = start(storage, seed);
  /** A new process draws anew. */
  let restarts = 0;
  const call = <A extends CloudAction>(action: A, input: CloudInput<A>): Promise<CloudOutput<A>> =>
    account.call(region, action, input);
  return {
    clock,
    storage,
    recorded,
    /** Sets whether an instance answers. */
    answer: (instanceId: string, answers = true): void => {
      if (answers) answering.add(instanceId);
      else answering.delete(instanceId);
      changed(instanceId);
    },
    call,
    get account() {
      return account;
    },
    make: inputs({ call: (...request) => account.call(...request) }, region),
    /** The process dies, and a new one opens the same records after `down`. */
    restart: async (down = 0) => {
      account.stop();
      await clock.advance(down);
      account = start(storage, seed + ++restarts);
      account.resume();
    },
    state: async (id: string): Promise<string> => {
      const { Reservations } = await call('DescribeInstances', { InstanceIds: [id] });
      return Reservations[0]!.Instances[0]!.State.Name;
    },
  };
};

/** The error code of a rejection; `accepted` without one. */
export const refusal = async (promise: Promise<unknown>): Promise<string> => {
  try {
    await promise;
    return 'accepted';
  } catch (error) {
    if (error instanceof CloudError) return error.code;
    throw error;
  }
};
