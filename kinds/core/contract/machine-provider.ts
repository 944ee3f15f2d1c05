/**
 * What the autoscaler asks of the provider of a pool's machines, in words of the contract: why a launch
 * was refused, by what follows from that, and what a template makes. Pure.
 */
import { type GroupKind, groupKindOf, isSameKind } from '../../../machinery/api/kind.ts';
import type { JsonValue, KubeObject } from '../../../machinery/api/object.ts';
import { type Price, priceOf } from './price.ts';

export type Consequence =
  /** Another zone, type or market may have what this one lacks. */
  | 'noCapacity'
  /** The account has as much as it may have; another type or market may be free. */
  | 'quota'
  /** The account may not buy in this market before a user allows it. */
  | 'notPermitted';

/** Why a machine got no host. */
export interface Refusal {
  consequence: Consequence;
  /** The provider's own word for it, which messages repeat. */
  code: string;
  /** Milliseconds since the epoch. */
  at: number;
}

export interface TemplateView {
  /** As the user declared it: machines of another spec are others. */
  declared: JsonValue | undefined;
  /** What a machine has; absent until its provider reports it. */
  capacity?: Record<string, string>;
  nodeInfo?: { architecture?: string; operatingSystem?: string };
  /** Where a machine without a failure domain starts, in the order in which zones are tried. */
  zones?: string[];
  price?: Price;
  /** The type of its machines, such as `m7g.large`. */
  type?: string;
  /** Absent: on demand. */
  market?: 'spot';
  /** Of its machines. */
  annotations?: Record<string, string>;
}

/** What a provider adds to the contract's fields. */
export interface MachineProvider {
  machine: GroupKind;
  template: GroupKind;
  /** Undefined unless the machine reports a refusal with a consequence. */
  refusalOf: (machine: KubeObject) => Refusal | undefined;
  /** The type and the market of a template's machines. */
  typeOf: (template: KubeObject) => Pick<TemplateView, 'type' | 'market'>;
}

type Reported = Pick<TemplateView, 'capacity' | 'nodeInfo' | 'zones'>;

export const viewOf = (template: KubeObject, providers: readonly MachineProvider[]): TemplateView => {
  const kind = groupKindOf(template);
  const { capacity, nodeInfo, zones } = (template.status ?? {}) as Reported;
  const { metadata } = (template.spec as { template?: KubeObject } | undefined)?.template ?? {};
  const price = priceOf(template);
  return {
    declared: template.spec as JsonValue | undefined,
    ...(capacity && { capacity }),
    ...(nodeInfo && { nodeInfo }),
    ...(zones && { zones }),
    ...(price && { price }),
    ...(metadata?.annotations && { annotations: metadata.annotations }),
    ...providers.find((provider) => isSameKind(provider.template, kind))?.typeOf(template),
  };
};

export const refusalIn = (machine: KubeObject, providers: readonly MachineProvider[]): Refusal | undefined => {
  const kind = groupKindOf(machine);
  return providers.find((provider) => isSameKind(provider.machine, kind))?.refusalOf(machine);
};
