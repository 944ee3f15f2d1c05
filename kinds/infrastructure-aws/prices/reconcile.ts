/** Reports the prices of instance types in the status of their templates. Pure. */

import { equal } from '../../../machinery/api/merge.ts';
import type { Action, Context, Plan } from '../../../machinery/api/reconcile.ts';
import { patchAsObserved } from '../../common/owners.ts';
import type { Price } from '../../core/contract/price.ts';
import { isSpot } from '../aws-machine/market.ts';
import type { AWSMachineTemplate } from '../aws-machine-template/schema.ts';
import type { Observed } from './observe.ts';
import { tableDate, tablePrice } from './on-demand.ts';

/** Seconds until a template or an infrastructure object that is missing is read again. */
const missing = 15;

const priceOf = (region: string, { spec }: AWSMachineTemplate): Price => {
  const { instanceType = '', ...market } = spec?.template.spec ?? {};
  const onDemand = tablePrice(region, instanceType);
  if (onDemand === undefined) return { source: `${instanceType} is unknown in the price table of ${tableDate}` };
  const source = `price table of ${tableDate}`;
  return {
    dollarsPerHour: String(onDemand),
    // Spot prices end at the on-demand price, so a limit of the cost holds.
    source: isSpot(market) ? `on-demand price, which bounds spot prices: ${source}` : source,
  };
};

const report = (region: string, template: AWSMachineTemplate): Action[] => {
  const price = priceOf(region, template);
  const { name } = template.metadata;
  // A merge patch keeps what it does not name.
  const patch = { status: { price: { dollarsPerHour: null, zones: null, ...price } } };
  return equal(price, template.status?.price) ? [] : [{ ...patchAsObserved(template, patch), group: name }];
};

export const reconcile = ({ region, templates, isMissing }: Observed, _: Context): Plan => ({
  actions: region === undefined ? [] : templates.flatMap((template) => report(region, template)),
  ...((isMissing || (region === undefined && templates.length > 0)) && { requeueAfter: missing }),
});
