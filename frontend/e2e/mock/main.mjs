// Serves the built front end with an invented controller: node e2e/mock/main.mjs [REPORT] [TASK…]
import { startMock } from './server.mjs';

const [report = 'ready', ...tasks] = process.argv.slice(2);
const mock = await startMock({ report: /** @type {any} */ (report), tasks: /** @type {any} */ (tasks) });
console.log(mock.url);
