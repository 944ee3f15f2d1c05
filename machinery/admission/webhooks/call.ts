/** One call of a webhook: what it is asked, and what its answer means. */
import type { Webhook } from '../../api/admission.ts';
import { ApiError, badRequest, type StatusDetails } from '../../api/errors.ts';
import { exactJson } from '../../api/exact.ts';
import { isObject, type KubeObject } from '../../api/object.ts';
import type { CallWebhook } from '../../api/webhook.ts';
import type { ResourceForm, Review } from '../review.ts';
import { requestOf } from '../scope.ts';

export interface CallOptions {
  callWebhook: CallWebhook;
  uid: () => string;
}

/** A request in the form that a webhook takes. */
export interface Asked {
  review: Review;
  form: ResourceForm;
  object: KubeObject | undefined;
  old: KubeObject | undefined;
}

export interface HookAnswer {
  /** JSON patch of the object. */
  patch: unknown[];
  warnings: string[];
  annotations: Record<string, string>;
  refusal?: ApiError;
}

/** The webhook could not be asked, or answered nonsense: its failure policy decides. */
export class CallFailed extends Error {}

const versions = ['v1', 'v1beta1'];

const reviewBody = (version: string, uid: string, { review, form, object, old }: Asked) => ({
  kind: 'AdmissionReview',
  apiVersion: `admission.k8s.io/${version}`,
  request: { uid, ...requestOf(review, form), object: object ?? null, oldObject: old ?? null },
});

const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];

const annotationsOf = (name: string, value: unknown): Record<string, string> =>
  isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, text]) => [`${name}/${key}`, String(text)]))
    : {};

const refusalOf = (name: string, result: unknown): ApiError => {
  const { code, reason, message, details } = isObject(result) ? result : {};
  const by = `admission webhook ${JSON.stringify(name)} denied the request`;
  const text = message ? `${by}: ${message}` : reason ? `${by}: ${reason}` : `${by} without explanation`;
  const shownCode = typeof code === 'number' && code >= 400 && code <= 599 ? code : 400;
  return new ApiError(
    shownCode,
    typeof reason === 'string' ? reason : '',
    text,
    isObject(details) ? (details as StatusDetails) : {},
  );
};

const patchOf = (response: Record<string, unknown>, version: string, isMutating: boolean): unknown[] => {
  const { patch, patchType } = response;
  const invalid = (why: string): never => {
    throw new CallFailed(`received invalid webhook response: ${why}`);
  };
  if (!isMutating && version === 'v1') {
    if (patch) return invalid('validating webhook may not return response.patch');
    if (patchType !== undefined && patchType !== null)
      return invalid('validating webhook may not return response.patchType');
  }
  if (!isMutating || (!patch && (patchType ?? '') === '')) return [];
  if (version === 'v1' && patch && !patchType)
    return invalid('webhook returned response.patch but not response.patchType');
  if (!patch) return invalid('webhook returned response.patchType but not response.patch');
  if (version === 'v1' && patchType !== 'JSONPatch') throw new CallFailed(`unsupported patch type "${patchType}"`);
  try {
    const operations = exactJson(Buffer.from(String(patch), 'base64').toString());
    if (Array.isArray(operations)) return operations;
  } catch (error) {
    // Other text is reported below.
    if (!(error instanceof SyntaxError))
      throw new CallFailed(`received undecodable patch in webhook response: ${(error as Error).message}`);
  }
  throw new CallFailed('received undecodable patch in webhook response: it is no list of operations');
};

const answerOf = (
  review: unknown,
  { name }: Webhook,
  asked: { version: string; uid: string; isMutating: boolean },
): HookAnswer => {
  const { version, uid, isMutating } = asked;
  const invalid = (why: string): never => {
    throw new CallFailed(`received invalid webhook response: ${why}`);
  };
  const { response, apiVersion = '', kind = '' } = isObject(review) ? review : {};
  if (!isObject(response)) return invalid('webhook response was absent');
  if (version === 'v1') {
    if (response.uid !== uid)
      return invalid(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response.uid ?? '')}`);
    if (apiVersion !== 'admission.k8s.io/v1' || kind !== 'AdmissionReview')
      return invalid(
        `expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got ${apiVersion}, Kind=${kind}`,
      );
  }
  const patch = patchOf(response, version, isMutating);
  const isAllowed = response.allowed === true;
  return {
    patch: isAllowed ? patch : [],
    warnings: textsOf(response.warnings),
    annotations: annotationsOf(name, response.auditAnnotations),
    ...(!isAllowed && { refusal: refusalOf(name, response.status) }),
  };
};

const hasNoSideEffects = ({ sideEffects }: Webhook): boolean =>
  sideEffects === 'None' || sideEffects === 'NoneOnDryRun';

/** The 500 of a webhook that could not be asked. */
export const failedCall = ({ name }: Webhook, error: Error): ApiError => {
  const message = `failed calling webhook ${JSON.stringify(name)}: ${error.message}`;
  return new ApiError(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });
};

const defaultSeconds = 10;

/** Throws CallFailed, and ApiErrors whatever the failure policy. */
export const callHook = async (
  { callWebhook, uid: newUid }: CallOptions,
  webhook: Webhook,
  asked: Asked,
  isMutating: boolean,
): Promise<HookAnswer> => {
  const { review } = asked;
  if (review.dryRun && !hasNoSideEffects(webhook))
    throw badRequest(`admission webhook ${JSON.stringify(webhook.name)} does not support dry run`);
  const left = review.timeLeft();
  if (left <= 0) throw new ApiError(504, 'Timeout', 'request did not complete within requested timeout', {});
  const version = webhook.admissionReviewVersions?.find((one) => versions.includes(one));
  if (version === undefined)
    throw new CallFailed('could not create admission objects: webhook does not accept known AdmissionReview versions');
  const uid = newUid();
  const timeout = Math.min(left, (webhook.timeoutSeconds ?? defaultSeconds) * 1000);
  let answer: unknown;
  try {
    answer = await callWebhook(webhook.clientConfig ?? {}, reviewBody(version, uid, asked), { timeout });
  } catch (error) {
    throw new CallFailed(`failed to call webhook: ${(error as Error).message}`);
  }
  return answerOf(answer, webhook, { version, uid, isMutating });
};
