/** Reports the prices of instance types in the status of their templates. Pure. */
import { equal } from '../../../machinery/api/merge.ts';
import type { Action, Context, Plan } from '../../../machinery/api/reconcile.ts';
import { patchAsObserved } from '../../common/owners.ts';
import type { Price } from '../../core/contract/price.ts';
import { isPassing, speedOf } from '../aws-cluster/step.ts';
import { isSpot } from '../aws-machine/market.ts';
import type { AWSMachineTemplate } from '../aws-machine-template/schema.ts';
import type { Observed } from './observe.ts';
import { tableDate, tablePrice } from './on-demand.ts';
import type { SpotPrices } from './spot.ts';

/** Seconds until the next pass. */
const delays = {
  /** Of an object that is missing, or a service that does not answer. */
  missing: 15,
  unanswered: 60,
  /** A denied read may have been allowed. */
  refused: 3600,
  refresh: 24 * 3600,
};

const onDemandOf = (region: string, instanceType: string): Price => {
  const price = tablePrice(region, instanceType);
  if (price === undefined) return { source: `${instanceType} is unknown in the price table of ${tableDate}` };
  return { dollarsPerHour: String(price), source: `price table of ${tableDate}` };
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

/** Undefined while a service does not answer: what was reported stays. */
const priceOf = (region: string, { spec }: AWSMachineTemplate, spot: Observed['spot']): Price | undefined => {
  const { instanceType = '', ...market } = spec?.template.spec ?? {};
  const onDemand = onDemandOf(region, instanceType);
  const prices = isSpot(market) ? spot.get(instanceType) : undefined;
  if (prices?.refused !== undefined && isPassing(prices.refused)) return undefined;
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

const report = (template: AWSMachineTemplate, price: Price | undefined): Action[] => {
  const before = template.status?.price;
  if (!price || equal(price, before)) return [];
  const patch = { status: { price: withoutOthers(price, before) } };
  return [{ ...patchAsObserved(template, patch), group: template.metadata.name }];
};

const delayOf = ({ region, templates, isMissing, spot }: Observed): number | undefined => {
  if (isMissing || (region === undefined && templates.length > 0)) return delays.missing;
  const refusals = [...spot.values()].flatMap(({ refused }) => refused ?? []);
  if (refusals.some(isPassing)) return delays.unanswered;
  if (refusals.length > 0) return delays.refused;
  return spot.size > 0 ? delays.refresh : undefined;
};

export const reconcile = (observed: Observed, { config }: Context): Plan => {
  const { region, templates, spot } = observed;
  const delay = delayOf(observed);
  return {
    actions:
      region === undefined ? [] : templates.flatMap((template) => report(template, priceOf(region, template, spot))),
    ...(delay !== undefined && { requeueAfter: Math.max(1, delay / speedOf(config)) }),
  };
};
