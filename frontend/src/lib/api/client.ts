/** What the window asks of the controller. */
export { api, ApiFailure, files, gone, isAway, problemOf, runTool, whileStill } from './request';
