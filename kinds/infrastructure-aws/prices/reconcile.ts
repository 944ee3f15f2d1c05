/** Reports what machines cost and where they start in the status of their templates. Pure. */
import { equal } from '../../../machinery/api/merge.ts';
import type { Action, Context, Plan } from '../../../machinery/api/reconcile.ts';
import { speedOf } from '../../../machinery/api/speed.ts';
import { patchAsObserved } from '../../common/owners.ts';
import type { Price } from '../../core/contract/price.ts';
import { isSpot } from '../aws-machine/market.ts';
import type { AWSMachineTemplate } from '../aws-machine-template/schema.ts';
import { isPassing } from '../engine/step.ts';
import type { Observed } from './observe.ts';
import type { OnDemandPrice } from './on-demand.ts';
import type { SpotPrices } from './spot.ts';
import { tableDate, tablePrice } from './table-price.ts';

/** Seconds until the next pass. */
const delays = {
  /** Of an object that is missing, or a service that does not answer. */
  missing: 15,
  unanswered: 900,
  /** A denied read may have been allowed. */
  refused: 3600,
  refresh: 24 * 3600,
};

/** Of the price list; of the table if that cannot be read, or does not know the type. */
const onDemandOf = (region: string, instanceType: string, listed: OnDemandPrice = {}): Price => {
  if (listed.price !== undefined) return { dollarsPerHour: String(listed.price), source: 'EC2 price list' };
  const price = tablePrice(region, instanceType);
  const because = listed.refused === undefined ? '' : `; ${listed.refused}`;
  if (price === undefined) return { source: `${instanceType} is unknown in the price table of ${tableDate}${because}` };
  return { dollarsPerHour: String(price), source: `price table of ${tableDate}${because}` };
};

/** Spot prices end at the on-demand price, so a limit of the cost holds with it. */
const boundOf = ({ dollarsPerHour, source }: Price, why: string): Price =>
  dollarsPerHour === undefined
    ? { source: `${source}; ${why}` }
    : {
        dollarsPerHour,
        onDemand: dollarsPerHour,
        source: `on-demand price, which bounds spot prices (${source}; ${why})`,
      };

const spotPriceOf = (onDemand: Price, { zones, refused }: SpotPrices): Price => {
  if (refused !== undefined) return boundOf(onDemand, refused);
  const prices = Object.values(zones);
  if (prices.length === 0) return boundOf(onDemand, 'EC2 has no spot price in the zones of the cluster');
  return {
    dollarsPerHour: String(Math.max(...prices)),
    zones: Object.fromEntries(Object.entries(zones).map(([zone, price]) => [zone, String(price)])),
    ...(onDemand.dollarsPerHour !== undefined && { onDemand: onDemand.dollarsPerHour }),
    source: 'EC2 spot prices',
  };
};

const isUnanswered = (refused: string | undefined): boolean => refused !== undefined && isPassing(refused);

const priceOf = (region: string, { spec, status }: AWSMachineTemplate, observed: Observed): Price => {
  const { instanceType = '', ...market } = spec?.template.spec ?? {};
  const listed = observed.onDemand.get(instanceType);
  const prices = isSpot(market) ? observed.spot.get(instanceType) : undefined;
  // What was reported stays while a service does not answer.
  if (status?.price && (isUnanswered(listed?.refused) || isUnanswered(prices?.refused))) return status.price;
  const onDemand = onDemandOf(region, instanceType, listed);
  return prices ? spotPriceOf(onDemand, prices) : onDemand;
};

/** A merge patch keeps what it does not name. */
const withoutOthers = (price: Price, before: Price | undefined) => {
  const zones = Object.keys(before?.zones ?? {}).filter((zone) => price.zones?.[zone] === undefined);
  return {
    dollarsPerHour: null,
    onDemand: null,
    zones: null,
    ...price,
    ...(price.zones && { zones: { ...Object.fromEntries(zones.map((zone) => [zone, null])), ...price.zones } }),
  };
};

/** What was reported stays while the subnets cannot be read, or do not exist yet. */
const zonesOf = ({ metadata, status }: AWSMachineTemplate, observed: Observed): string[] => {
  const { zones, refused } = observed.zones.get(metadata.name)!;
  return refused === undefined && zones.length > 0 ? zones : (status?.zones ?? []);
};

const report = (template: AWSMachineTemplate, price: Price, zones: string[]): Action[] => {
  const { price: priceBefore, zones: zonesBefore = [] } = template.status ?? {};
  const isPriced = equal(price, priceBefore);
  const isPlaced = equal(zones, zonesBefore);
  if (isPriced && isPlaced) return [];
  const status = { ...(!isPriced && { price: withoutOthers(price, priceBefore) }), ...(!isPlaced && { zones }) };
  return [{ ...patchAsObserved(template, { status }), group: template.metadata.name }];
};

const delayOf = ({ region, templates, isMissing, onDemand, spot, zones }: Observed): number | undefined => {
  if (isMissing || (region === undefined && templates.length > 0)) return delays.missing;
  const isUnplaced = [...zones.values()].some((one) => one.refused === undefined && one.zones.length === 0);
  if (isUnplaced) return delays.missing;
  const answers = [...onDemand.values(), ...spot.values(), ...zones.values()];
  const refusals = answers.flatMap((answer) => answer?.refused ?? []);
  if (refusals.some(isPassing)) return delays.unanswered;
  if (refusals.length > 0) return delays.refused;
  return templates.length > 0 ? delays.refresh : undefined;
};

export const reconcile = (observed: Observed, { config }: Context): Plan => {
  const { region, templates } = observed;
  const delay = delayOf(observed);
  return {
    actions:
      region === undefined
        ? []
        : templates.flatMap((template) =>
            report(template, priceOf(region, template, observed), zonesOf(template, observed)),
          ),
    ...(delay !== undefined && { requeueAfter: Math.max(1, delay / speedOf(config)) }),
  };
};
