/** What DynamoDB's errors mean to whoever writes. */
import { OutcomeUnknown, Refused, Throttled, TransactionRefused } from '../../../machinery/ports.ts';
import { type Attempt, translated as told } from '../service/error.ts';
import { type DynamoItem, fromDynamo } from './value.ts';

interface Reason {
  Code?: string;
  Item?: DynamoItem;
}
interface Failure {
  name?: string;
  code?: string;
  Item?: DynamoItem;
  CancellationReasons?: Reason[];
  $metadata?: { httpStatusCode?: number };
}

const throttles = new Set([
  'ProvisionedThroughputExceededException',
  'ThrottlingException',
  'RequestLimitExceeded',
  'TransactionConflictException',
  'TransactionInProgressException',
  'ReplicatedWriteConflictException',
]);
const passing = new Set(['TransactionConflict', 'ProvisionedThroughputExceeded', 'ThrottlingError']);

const cancelled = (reasons: Reason[], error: unknown): unknown => {
  const refused = reasons.map(({ Code }) => Code === 'ConditionalCheckFailed');
  if (refused.includes(true)) return new TransactionRefused(refused);
  if (reasons.some(({ Code }) => passing.has(Code ?? '')))
    return new Throttled('a transaction was cancelled', { cause: error });
  return error;
};

/** Faults of this code: they stay as they are, and nobody is told to try again. */
const ours = new Set([
  'ValidationException',
  'SerializationException',
  'IdempotentParameterMismatchException',
  'ItemCollectionSizeLimitExceededException',
  'TransactionCanceledException',
]);

/**
 * The error to throw for what a read or a write was answered with. Without an answer a write may have been done; what else
 * went wrong says what to do about it.
 */
export const translated = (error: unknown, wrote: boolean, attempt: Attempt): unknown => {
  const { name = '', code, Item, CancellationReasons, $metadata } = (error ?? {}) as Failure;
  if (name === 'ConditionalCheckFailedException') return new Refused(Item && fromDynamo(Item));
  if (name === 'TransactionCanceledException') return cancelled(CancellationReasons ?? [], error);
  if (throttles.has(name)) return new Throttled(name, { cause: error });
  const status = $metadata?.httpStatusCode;
  const isAnswered = status !== undefined && status < 500;
  // A client that never got a connection, or no credentials, has sent nothing.
  if (isAnswered) return ours.has(name) ? error : told(error, attempt);
  if (name === 'CredentialsProviderError' || neverSent.has(code ?? '')) return told(error, attempt);
  if (!mayHaveArrived(error)) return error;
  return wrote ? new OutcomeUnknown(name, { cause: error }) : new Throttled(name, { cause: error });
};

const neverSent = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);
const mayHaveArrived = (error: unknown): boolean => {
  const { name, code, $metadata } = (error ?? {}) as { name?: string; code?: string; $metadata?: object };
  return $metadata !== undefined || code !== undefined || name === 'TimeoutError' || name === 'AbortError';
};
