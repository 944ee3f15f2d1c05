/** ResourceQuotas by count: how many objects of a resource a namespace may have. Pure. */
import type { KubeObject } from './object.ts';

export const quotaType = 'resourcequotas';

/** Written while one changes. */
export const quotaMark = 'resourcequotas';

export type Amounts = Record<string, string>;
export type ResourceQuota = KubeObject<
  { hard?: Amounts; scopes?: string[]; scopeSelector?: object },
  { hard?: Amounts; used?: Amounts }
>;

const countPrefix = 'count/';
/** Resources of the core group that also count under their plain names. */
export const plainlyCounted: readonly string[] = ['configmaps', 'resourcequotas', 'secrets', 'services'];

/** The type whose objects a name in `spec.hard` counts; undefined for other resources, such as CPU of pods. */
export const countedType = (name: string): string | undefined => {
  if (name.startsWith(countPrefix)) return name.slice(countPrefix.length) || undefined;
  return plainlyCounted.includes(name) ? name : undefined;
};

/** A whole number, as a quantity; undefined for another amount. */
export const wholeAmount = (text: string): number | undefined => {
  const [, digits, thousands] = /^(\d{1,12})(k?)$/.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits) * (thousands ? 1000 : 1);
};

/** Scopes select pods, of which there are none. */
const selectsPods = ({ spec }: ResourceQuota): boolean => !!spec?.scopes?.length || spec?.scopeSelector !== undefined;

/** What a quota limits: the most objects by name in `spec.hard`. */
export const limitsIn = (quota: ResourceQuota): { name: string; type: string; most: number }[] =>
  selectsPods(quota)
    ? []
    : Object.entries(quota.spec?.hard ?? {}).flatMap(([name, text]) => {
        const [type, most] = [countedType(name), wholeAmount(String(text))];
        return type === undefined || most === undefined ? [] : [{ name, type, most }];
      });

export const usedIn = ({ status }: ResourceQuota, name: string): number | undefined => {
  const text = status?.used?.[name];
  return text === undefined ? undefined : wholeAmount(String(text));
};

/** What nothing uses, because Capstan has no pods, volumes and load balancers. */
const unused = (quota: ResourceQuota): Amounts => {
  const hard = Object.keys(quota.spec?.hard ?? {});
  return Object.fromEntries(hard.filter((name) => countedType(name) === undefined).map((name) => [name, '0']));
};

/** The quota with these counts in its status. */
export const withUsed = (quota: ResourceQuota, used: Readonly<Record<string, number>>): ResourceQuota => ({
  ...quota,
  status: {
    hard: quota.spec?.hard ?? {},
    used: {
      ...unused(quota),
      ...Object.fromEntries(Object.entries(used).map(([name, count]) => [name, String(count)])),
    },
  },
});
