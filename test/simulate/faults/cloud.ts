/** A cloud port whose account fails, throttles, denies or lags. */
import {
  type Cloud,
  type CloudAction,
  CloudError,
  type CloudInput,
  isMutating,
} from '../../../kinds/ports/cloud/index.ts';
import { serviceOf } from '../../../kinds/ports/cloud-limits.ts';
import type { Clock } from '../../../machinery/ports.ts';
import type { Account } from '../../../simulation/aws/index.ts';
import type { CloudCall } from '../invariants/rule.ts';
import type { Faults } from './index.ts';

const minutes = 60_000;

const throttledOf = (action: CloudAction): CloudError =>
  serviceOf(action) === 'ec2'
    ? new CloudError('RequestLimitExceeded', 'Request limit exceeded.')
    : new CloudError('ThrottlingException', 'Rate exceeded');
/** Errors after which the caller cannot know whether the call took effect. */
const failures = [
  ['InternalError', 'An internal error has occurred'],
  ['RequestTimeout', 'ec2.eu-central-1.amazonaws.com did not answer in time'],
  ['ECONNRESET', 'the connection to ec2.eu-central-1.amazonaws.com broke'],
  ['Unavailable', 'The server is overloaded and cannot handle the request.'],
] as const;

const placeOf = (input: object): { type?: string; zone?: string } => {
  const { InstanceType: type, Placement } = input as {
    InstanceType?: string;
    Placement?: { AvailabilityZone?: string };
  };
  return { ...(type && { type }), ...(Placement?.AvailabilityZone && { zone: Placement.AvailabilityZone }) };
};

/** The consistency lag of the account: its length in milliseconds and its frequency. */
type Lag = Parameters<Account['lag']>[0];
const longestLag: Lag = { inconsistency: 15_000, staleReads: 1 };

export const badCloud = (
  account: Account,
  undisturbed: Lag,
  clock: Clock,
  faults: Faults,
  onCall: (call: CloudCall) => void,
): Cloud => {
  let failed = 0;
  const failure = () => {
    const [code, message] = failures[failed++ % failures.length]!;
    return new CloudError(code, message);
  };
  let lags = 0;
  const lagBehind = () => {
    lags += 1;
    account.lag(longestLag);
    clock.after(longestLag.inconsistency, () => {
      lags -= 1;
      if (lags === 0) account.lag(undisturbed);
    });
  };
  let darkUntil = 0;
  const deniedUntil = new Map<CloudAction, number>();
  const isIn = (until: number | undefined) => !faults.isCalm && until !== undefined && clock.now() < until;

  const refuse = (action: CloudAction, input: object): void => {
    if (faults.strikes('cloud.dark'))
      darkUntil = clock.now() + faults.dice('cloud.dark').spread(minutes, 6 * 60 * minutes);
    if (isIn(darkUntil))
      throw new CloudError('ServiceUnavailable', 'Service is unavailable. Please try again shortly.');
    if (faults.strikes('cloud.denied'))
      deniedUntil.set(action, clock.now() + faults.dice('cloud.denied').spread(minutes, 20 * minutes));
    if (isIn(deniedUntil.get(action)))
      throw new CloudError('UnauthorizedOperation', 'You are not authorized to perform this operation.');
    if (faults.strikes('cloud.throttled')) throw throttledOf(action);
    if (faults.strikes('cloud.failed', action)) throw failure();
    if (action === 'RunInstances' && faults.strikes('cloud.capacity')) {
      const count = faults.dice('cloud.capacity').whole(1, 3);
      account.faults.add({ action, code: 'InsufficientInstanceCapacity', count, ...placeOf(input) });
    }
  };
  const reported = async <A extends CloudAction>(region: string, action: A, input: CloudInput<A>) => {
    let happened = false;
    let isInjected = true;
    let outcome = 'done';
    try {
      refuse(action, input as object);
      isInjected = false;
      const output = await account.call(region, action, input);
      happened = true;
      isInjected = true;
      if (isMutating(action)) {
        if (faults.strikes('cloud.stale', action)) lagBehind();
        if (faults.strikes('cloud.lost', action)) throw failure();
      }
      return output;
    } catch (error) {
      outcome = error instanceof CloudError ? error.code : String(error);
      throw error;
    } finally {
      onCall({ action, region, input, outcome, happened, isInjected });
    }
  };
  return { call: reported };
};
