/** The account's single role for API Gateway logs in a region, which other APIs may use. */
import { APIGatewayClient, GetAccountCommand } from '@aws-sdk/client-api-gateway';
import { asking } from './explain.ts';
import { type Session, settings } from './session.ts';
import type { Context } from './stack.ts';

/**
 * An API cannot write logs without this role, so the first installation of an account makes one, which the
 * user must agree to. A role that exists is never replaced. A given value wins, and a deployed one stays.
 */
export const withAccountLogging = async (
  { region, isEmulated }: Session,
  context: Context,
  { typed, isDeployed }: { typed: Context; isDeployed: boolean },
): Promise<Context> => {
  if (isDeployed || isEmulated || typed.accountLogging !== undefined) return context;
  const { cloudwatchRoleArn } = await asking(
    new APIGatewayClient({ ...settings, region }).send(new GetAccountCommand({})),
    { action: 'apigateway:GET', what: `the account settings of API Gateway in ${region}` },
  );
  return cloudwatchRoleArn ? context : { ...context, accountLogging: 'true' };
};
