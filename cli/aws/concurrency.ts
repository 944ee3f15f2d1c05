/** The account's limit on concurrent executions, and the shares of a deployment. */
import { GetAccountSettingsCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { type ConcurrencyOptions, comfortable, concurrencyOf, newAccount } from '../../cdk/concurrency.ts';
import { CliError } from '../errors.ts';
import { asking } from './explain.ts';
import { type Session, settings } from './session.ts';
import type { Context } from './stack.ts';

const numberIn = (text: string | undefined): number | undefined =>
  text === undefined || Number.isNaN(Number(text)) ? undefined : Number(text);

const reservedIn = (text: string | undefined): ConcurrencyOptions['reservedConcurrency'] => {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    // The validation of the settings reports the error.
    return undefined;
  }
};

const optionsIn = ({
  accountConcurrency,
  maxConcurrency,
  watches,
  reservedConcurrency,
}: Context): ConcurrencyOptions => ({
  accountConcurrency: numberIn(accountConcurrency),
  maxConcurrency: numberIn(maxConcurrency),
  watches: numberIn(watches),
  reservedConcurrency: reservedIn(reservedConcurrency),
});

/** The concurrency available to the installation: the unreserved part and its own reservations. */
export const availableConcurrency = async ({ region }: Session, deployed: Context | undefined): Promise<number> => {
  const { AccountLimit } = await asking(
    new LambdaClient({ ...settings, region }).send(new GetAccountSettingsCommand({})),
    {
      action: 'lambda:GetAccountSettings',
      what: `Lambda in ${region}`,
    },
  );
  const unreserved = AccountLimit?.UnreservedConcurrentExecutions ?? newAccount;
  const own = deployed ? Object.values(concurrencyOf(optionsIn(deployed)).reserved) : [];
  return own.reduce((all, one) => all + one, unreserved);
};

/** A given value wins; otherwise each deployment asks AWS, because quotas change. */
export const withConcurrency = async (
  session: Session,
  context: Context,
  { typed, deployed }: { typed: Context; deployed: Context | undefined },
): Promise<Context> => {
  if (typed.accountConcurrency) return context;
  const available = await availableConcurrency(session, deployed);
  if (available < newAccount)
    throw new CliError(
      `only ${available} functions may run at once in ${session.region} beside what is reserved for others, and Capstan needs ${newAccount}: reserve less for others, or have the quota raised`,
    );
  return { ...context, accountConcurrency: String(available) };
};

/** The shares, and the quota increase to request when the limit is low. */
export const describeConcurrency = ({ region }: Session, context: Context): string => {
  const { limit, workers, watches, free } = concurrencyOf(optionsIn(context));
  const shared = `At most ${limit} functions run at once: ${workers} workers, ${watches} watches, ${free} for requests and the rest.`;
  if (limit >= comfortable) return shared;
  return `${shared}
That is enough to try Capstan, and little for anything else: while all of it is busy, requests are refused. Have it raised, which costs nothing, and deploy again:
  aws service-quotas request-service-quota-increase --region ${region} --service-code lambda --quota-code L-B99A9384 --desired-value 1000`;
};
