import { storeContract } from '../../contract/store.contract.ts';
import { tableContract } from '../../contract/table.contract.ts';
import { miniStackTable } from './deviations.ts';
import { onDynamo } from './dynamodb.fixture.ts';
import { isMiniStack } from './endpoint.ts';

tableContract('DynamoDB', onDynamo, (await isMiniStack('DYNAMODB')) ? miniStackTable : {});

storeContract('DynamoDB', onDynamo);
