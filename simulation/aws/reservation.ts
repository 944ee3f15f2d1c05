/** Reserved capacity: which reservation a launch takes. */
import type { CloudInput } from '../../kinds/ports/cloud/index.ts';
import type { CapacityReservation } from './behaviour.ts';
import { invalidParameter, refuse } from './errors.ts';
import { isGone } from './instance.ts';
import type { InstanceType } from './instance-type.ts';
import type { Call } from './state.ts';

const freeIn = ({ account, now }: Call, id: string, { count }: CapacityReservation): number =>
  count - account.instances.all().filter((one) => one.reservation === id && !isGone(one, now)).length;

/** The reservation that the launch takes; it is refused where it may run in no other capacity. */
export const takenReservation = (
  call: Call,
  { name }: InstanceType,
  zone: string,
  { CapacityReservationSpecification: wanted, InstanceMarketOptions: market, MaxCount }: CloudInput<'RunInstances'>,
): string | undefined => {
  const all = call.account.behaviour.capacityReservations;
  const full = (): never =>
    refuse('ReservationCapacityExceeded', 'The requested reservation does not have sufficient compatible capacity.');
  const isBlock = market?.MarketType === 'capacity-block';
  const id = wanted?.CapacityReservationTarget?.CapacityReservationId;
  if (id) {
    const named =
      all[id] ?? refuse('InvalidCapacityReservationId.NotFound', `The capacity reservation ID '${id}' does not exist`);
    if (named.type !== name || named.zone !== zone || Boolean(named.block) !== isBlock)
      invalidParameter(`The capacity reservation '${id}' does not match the type, zone or market of the launch.`);
    return freeIn(call, id, named) < MaxCount ? full() : id;
  }
  const preference = wanted?.CapacityReservationPreference ?? 'open';
  if (preference === 'none' || market) return undefined;
  const [open] = Object.entries(all).find(
    ([key, one]) => one.open && one.type === name && one.zone === zone && freeIn(call, key, one) >= MaxCount,
  ) ?? [undefined];
  return open ?? (preference === 'capacity-reservations-only' ? full() : undefined);
};
