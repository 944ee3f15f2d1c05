import { storeContract } from '../../contract/store.contract.ts';
import { tableContract } from '../../contract/table.contract.ts';
import { onDynamo } from './dynamodb.fixture.ts';

tableContract('DynamoDB', onDynamo);

storeContract('DynamoDB', onDynamo);
