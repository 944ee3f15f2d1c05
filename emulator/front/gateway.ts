/** Finds MiniStack's deployed REST API by name, whenever it is deployed. */
import { unsignedHeaders } from '../unsigned.ts';
import type { Throttle } from './rate-limit.ts';

export interface Api {
  id: string;
  stage: string;
  /** Of a method of a path. */
  throttleOf(path: string, method: string): Throttle | undefined;
}

export interface GatewayOptions {
  endpoint: string;
  region: string;
  /** The name of the REST API. */
  name: string;
}

/** Milliseconds for which its existence is cached. */
const believed = 5_000;

interface RestApis {
  item?: { id: string; name: string; createdDate?: number }[];
}
interface Stages {
  item?: { stageName: string; methodSettings?: MethodSettings | MethodSettings[] }[];
}
/** MiniStack answers with the template's list instead of the API's object. */
type MethodSettings = Record<string, unknown>;

/** The settings of a method, or those of all. */
const throttlesIn = (settings: MethodSettings | MethodSettings[] = []): Api['throttleOf'] => {
  const all = Array.isArray(settings) ? settings : [];
  const find = (path: string, method: string) =>
    all.find((one) => one.ResourcePath === path && one.HttpMethod === method);
  return (path, method) => {
    const own = find(`/${path.replaceAll('/', '~1')}`, method) ?? find('/*', '*');
    const { ThrottlingRateLimit: rate, ThrottlingBurstLimit: burst } = own ?? {};
    return typeof rate === 'number' && typeof burst === 'number' ? { rate, burst } : undefined;
  };
};

export const createGateway = ({ endpoint, region, name }: GatewayOptions) => {
  let last: { at: number; api: Api } | undefined;
  const ask = async <T>(path: string): Promise<T> => {
    const response = await fetch(`${endpoint}${path}`, { headers: unsignedHeaders('apigateway', region) });
    if (!response.ok) throw new Error(`MiniStack answered ${path} with ${response.status}`);
    return (await response.json()) as T;
  };
  return {
    /** Undefined before the first deployment. */
    find: async (): Promise<Api | undefined> => {
      if (last && Date.now() - last.at < believed) return last.api;
      const { item: apis = [] } = await ask<RestApis>('/restapis?limit=500');
      const id = apis.filter((api) => api.name === name).at(-1)?.id;
      if (id === undefined) return undefined;
      const { item: stages = [] } = await ask<Stages>(`/restapis/${id}/stages`);
      const [{ stageName: stage, methodSettings } = {}] = stages;
      if (stage === undefined) return undefined;
      last = { at: Date.now(), api: { id, stage, throttleOf: throttlesIn(methodSettings) } };
      return last.api;
    },
    forget: () => {
      last = undefined;
    },
    urlOf: ({ id, stage }: Api, path: string) => `${endpoint}/_aws/execute-api/${id}/${stage}${path}`,
  };
};
export type Gateway = ReturnType<typeof createGateway>;
