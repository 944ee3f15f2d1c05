import { expect, it } from 'vitest';
import { openWorld, refusal } from './account.fixture.ts';

const type = 't3.large';
const capacityReservations = {
  'cr-1': { type, zone: 'us-east-1a', count: 1 },
  'cr-far': { type, zone: 'us-east-1b', count: 1 },
  'cr-open': { type, zone: 'us-east-1a', count: 1, open: true },
  'cr-block': { type, zone: 'us-east-1a', count: 1, block: true },
};
const named = (id: string) => ({
  CapacityReservationSpecification: { CapacityReservationTarget: { CapacityReservationId: id } },
});
const preferring = (CapacityReservationPreference: 'none' | 'capacity-reservations-only') => ({
  CapacityReservationSpecification: { CapacityReservationPreference },
});
const block = { InstanceMarketOptions: { MarketType: 'capacity-block' as const } };
const full = 'ReservationCapacityExceeded';

it.each([
  { rule: 'has room for its count', launches: [named('cr-1'), named('cr-1')], last: full },
  { rule: 'must exist', launches: [named('cr-2')], last: 'InvalidCapacityReservationId.NotFound' },
  { rule: 'must be in the zone of the launch', launches: [named('cr-far')], last: 'InvalidParameterValue' },
  { rule: 'that is a block has its own market', launches: [named('cr-block')], last: 'InvalidParameterValue' },
  { rule: 'that is a block takes its machines', launches: [{ ...named('cr-block'), ...block }], last: 'accepted' },
  { rule: 'that is open takes those that do not name it', launches: [{}, named('cr-open')], last: full },
  { rule: 'is not taken by those that want none', launches: [preferring('none'), named('cr-open')], last: 'accepted' },
  {
    rule: 'is all that some may take',
    launches: [preferring('capacity-reservations-only'), preferring('capacity-reservations-only')],
    last: full,
  },
])('a reservation $rule', async ({ launches, last }) => {
  const world = openWorld({ behaviour: { capacityReservations } });
  const { privateSubnet } = await world.make.network();
  const results: string[] = [];
  for (const [index, more] of launches.entries())
    results.push(
      await refusal(world.make.instance(privateSubnet, { ClientToken: `t${index}`, InstanceType: type, ...more })),
    );
  expect(results).toEqual([...launches.slice(1).map(() => 'accepted'), last]);
});
